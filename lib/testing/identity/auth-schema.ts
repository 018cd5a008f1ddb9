import type { JsonSchema } from "./json-schema";

const TEXT: JsonSchema = { type: "string" };
const DOMAIN: JsonSchema = { type: "object", properties: { id: TEXT, name: TEXT } };

/**
 * The types of the `auth` member of a token request, as Keystone checks them; which parts must be
 * there is decided later. The order of the members decides which of two mistakes is told.
 */
export const AUTH_SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    identity: {
      type: "object",
      properties: {
        methods: { type: "array", items: TEXT },
        password: {
          type: "object",
          properties: {
            user: {
              type: "object",
              properties: { id: TEXT, name: TEXT, password: TEXT, domain: DOMAIN },
            },
          },
        },
        token: { type: "object", properties: { id: TEXT }, required: ["id"] },
      },
      required: ["methods"],
    },
    scope: {
      // A text passes: Keystone knows the scope "unscoped".
      type: ["object", "string"],
      properties: {
        project: { type: "object", properties: { name: TEXT, id: TEXT, domain: DOMAIN } },
        domain: DOMAIN,
        "OS-TRUST:trust": { type: "object", properties: { id: TEXT } },
        system: {
          type: "object",
          properties: { all: { type: "boolean", enum: [true, false, null] } },
        },
      },
    },
  },
  required: ["identity"],
};

/** An account, by id or name. */
export interface DomainMember {
  readonly id?: string;
  readonly name?: string;
}

/** A user, by id, or by name and account. */
export interface UserMember extends DomainMember {
  readonly password?: string;
  readonly domain?: DomainMember;
}

/** A project, by id, or by name and account. */
export interface ProjectMember extends DomainMember {
  readonly domain?: DomainMember;
}

/** What {@link AUTH_SCHEMA} lets through. */
export interface AuthMember {
  readonly identity: {
    readonly methods: readonly string[];
    readonly password?: { readonly user?: UserMember };
    readonly token?: { readonly id: string };
  };
  readonly scope?:
    | string
    | {
        readonly project?: ProjectMember;
        readonly domain?: DomainMember;
        readonly "OS-TRUST:trust"?: { readonly id?: string };
        readonly system?: object;
        readonly unscoped?: unknown;
      };
}

/** The types of the `user` member of a change of password. */
export const PASSWORD_CHANGE_SCHEMA: JsonSchema = {
  type: "object",
  properties: { original_password: TEXT, password: TEXT },
  required: ["original_password", "password"],
  additionalProperties: false,
};
