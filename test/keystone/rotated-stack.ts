import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TerraformVariable } from "cdktf";
import {
  IdentityService,
  RotationSchedule,
  SecretRef,
  ServiceUserToken,
  TokenResolution,
  TokenRotation,
  TokenScope,
} from "../../lib";
import { Secret } from "../../lib/tokens";
import { serveProduct, storeIn } from "../scenarios/product";
import { StackOf } from "../scenarios/world";
import { makeScratch } from "../support/scratch";
import { synthApp } from "../support/synth";
import { startTerraform } from "../support/terraform";
import type { IdentityUnderTest, UserName } from "./identity-under-test";
import { accepts, request } from "./plain-request";

type Product = Awaited<ReturnType<typeof serveProduct>>;

/** Whose tokens it has. */
const USUAL: { readonly user: UserName; readonly scope: () => TokenScope } = {
  user: "svc",
  scope: () => TokenScope.account(),
};

/**
 * A stack with a token that is pushed into a store, at which each plan looks, and one that is kept;
 * a keeper rotates both.
 */
export class RotatedStack {
  readonly #keystone: IdentityUnderTest;
  readonly #scratch = makeScratch();
  readonly #app: ReturnType<typeof synthApp>;
  readonly #product: Product;
  #password: string;

  private constructor(keystone: IdentityUnderTest, product: Product, { user, scope: of } = USUAL) {
    this.#keystone = keystone;
    this.#product = product;
    this.#password = keystone.passwordOf(user);
    const caFile = join(this.#scratch.folder, "ca.pem");
    writeFileSync(caFile, keystone.ca ?? "");
    this.#app = synthApp((root) => {
      new StackOf(root, "main", (stack) => {
        const identity = new IdentityService(stack, "identity", {
          authUrl: keystone.authUrl,
          accountId: keystone.accountId,
          serviceUser: { name: user, password: SecretRef.env("SERVICE_USER_PASSWORD") },
          caFile,
        });
        const scope = of();
        const schedule = RotationSchedule.every("1h");
        const keepers = { release: new TerraformVariable(stack, "release", {}).stringValue };
        const store = storeIn(stack, this.#store);
        const provider = "product.store";
        stack.addOverride("data.product_names.all", { provider });
        stack.addOverride("ephemeral.product_secret.stored", {
          count: '${contains(data.product_names.all.names, "token") ? 1 : 0}',
          provider,
          name: "token",
        });
        const storedToken = '${try(ephemeral.product_secret.stored[0].value, "")}';
        const rotateWith = new TokenRotation(stack, "rotation", { schedule, keepers, storedToken });
        const pushed = new ServiceUserToken(stack, "pushed", {
          identity,
          scope,
          resolution: TokenResolution.ephemeral({ rotateWith }),
        });
        store("secret", "token", pushed.value, rotateWith.version);
        new ServiceUserToken(stack, "kept", {
          identity,
          scope,
          resolution: TokenResolution.rotating({ schedule, keepers, verifyAtRefresh: true }),
        });
      });
    });
  }

  static async open(keystone: IdentityUnderTest, whose = USUAL): Promise<RotatedStack> {
    const stack = new RotatedStack(keystone, await serveProduct(), whose);
    try {
      await stack.#terraform("init");
      return stack;
    } catch (error) {
      await stack.close();
      throw error;
    }
  }

  /** Applies with a keeper's value, and returns the tokens in the store and in the state. */
  async apply(release: string) {
    await this.#terraform("apply", "-auto-approve", `-var=release=${release}`);
    const token = readFileSync(join(this.#store, "token"), "utf8");
    const state = readFileSync(join(this.#folder, "terraform.tfstate"), "utf8");
    const { resources } = JSON.parse(state) as {
      readonly resources: readonly {
        readonly type: string;
        readonly instances: readonly { readonly attributes: Readonly<Record<string, unknown>> }[];
      }[];
    };
    const [pushed, kept] = ["iam_rotation", "iam_token"].map(
      (type) => resources.find((one) => one.type === type)?.instances[0]?.attributes,
    );
    const rotations = [pushed?.rotation, kept?.rotation];
    return {
      token,
      rotations,
      kept: String(kept?.token),
      isAccepted: await accepts(this.#keystone, Secret.of(token)),
    };
  }

  /** What a plan finds: 0 for nothing, 2 for changes. */
  async plan(release: string) {
    return this.#run("plan", "-detailed-exitcode", `-var=release=${release}`);
  }

  /** Ends all tokens of the user, and those of this second. */
  async changePassword(token: string, password: string): Promise<void> {
    const { authUrl, ca } = this.#keystone;
    const base = `${authUrl}/identity/v3`;
    const headers = { "X-Auth-Token": token, "Content-Type": "application/json" };
    const mine = { headers: { ...headers, "X-Subject-Token": token }, ca };
    const { id } = JSON.parse((await request(`${base}/auth/tokens`, mine)).body).token.user;
    const user = { password, original_password: this.#password };
    const asked = { method: "POST", headers, ca, body: JSON.stringify({ user }) };
    const { status } = await request(`${base}/users/${id}/password`, asked);
    if (status !== 204) throw new Error(`The password was not changed: ${status}`);
    this.#password = password;
    await new Promise((resolve) => setTimeout(resolve, 1_100));
  }

  async close(): Promise<void> {
    await this.#product.close();
    this.#app.remove();
    this.#scratch.remove();
  }

  get #folder(): string {
    return this.#app.stackFolder("main");
  }

  get #store(): string {
    return join(this.#scratch.folder, "store");
  }

  async #terraform(...args: string[]): Promise<void> {
    const { exitCode, text } = await this.#run(...args);
    if (exitCode !== 0)
      throw new Error(`terraform ${args.join(" ")} ended with ${exitCode}:\n${text}`);
  }

  async #run(...args: string[]) {
    const env = {
      SERVICE_USER_PASSWORD: this.#password,
      TF_REATTACH_PROVIDERS: JSON.stringify(this.#product.entry),
    };
    return startTerraform(this.#folder, args, { scratch: this.#scratch, env }).finished;
  }
}
