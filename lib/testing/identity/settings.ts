import type { Secret } from "../../tokens";
import type { FaultsConfig } from "../faults/fault";

/**
 * A checked configuration: every default filled in, the accounts in one list, the secrets wrapped.
 */
export interface ServiceSettings {
  readonly accounts: readonly AccountSettings[];
  readonly tokenLifetimeSeconds: number;
  readonly latencyMs: number;
  readonly lockout?: { readonly failures: number; readonly seconds: number } | undefined;
}

/** The same, with where it listens. */
export interface IdentitySettings extends ServiceSettings {
  readonly host: string;
  readonly port: number;
  readonly tls?:
    | "throw-away"
    | { readonly certificate: string; readonly key: Secret; readonly ca?: string | undefined }
    | undefined;
  readonly clientCertificates?: { readonly ca: string } | "throw-away" | undefined;
  readonly faults: FaultsConfig;
}

/**
 * One account of {@link IdentitySettings}. Written out, and not inferred: a declaration that names
 * zod would ask users for it.
 */
export interface AccountSettings {
  readonly accountId: string;
  readonly serviceUsers: readonly ServiceUserSettings[];
  readonly projects: readonly string[];
  readonly controlPanelUsers: readonly { readonly name: string; readonly password: Secret }[];
}

/** One service user of {@link AccountSettings}. */
export interface ServiceUserSettings {
  readonly name: string;
  readonly password: Secret;
  readonly permission: { readonly account: boolean; readonly projects: readonly string[] };
  readonly enabled: boolean;
  readonly neverLocked: boolean;
  /** Milliseconds since 1970. */
  readonly passwordExpiresAt?: number | undefined;
  readonly defaultProject?: string | undefined;
}
