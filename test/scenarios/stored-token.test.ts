import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Intercept } from "../../lib/testing";
import { statusOf } from "../testing/identity-client-of-a-test";
import { FULL } from "./product";
import { HOUR, onOneLine, providerBlock, type Scenario, scenarios, writeModule } from "./world";

/** What the service answers to a token that asks about itself. */
let answer: Intercept = (_, serve) => serve();

/** Keystone's. */
const REFUSAL = { status: 401, headers: [["WWW-Authenticate", 'Keystone uri="x"']] } as const;

/** A rotation that looks at its store, as the page has it. */
const looking = (folder: string) => `
provider "product" { folder = "${folder}" }
data "product_names" "all" {}
ephemeral "product_secret" "stored" {
  count = contains(data.product_names.all.names, "token") ? 1 : 0
  name  = "token"
}
ephemeral "iam_token" "pushed" {
  scope         = "account"
  min_remaining = "23h55m"
}
resource "iam_rotation" "push" {
  rotate_every    = "20h30m"
  stored_token_wo = try(ephemeral.product_secret.stored[0].value, "")
  pushed_token_wo = ephemeral.iam_token.pushed.token
}
resource "product_secret" "token" {
  name             = "token"
  value_wo         = ephemeral.iam_token.pushed.token
  value_wo_version = iam_rotation.push.version
}
resource "terraform_data" "hook" { triggers_replace = iam_rotation.push.version }
`;

/** A stack with its store, after its first apply. */
class Pushed {
  readonly folder: string;
  private readonly store: string;

  constructor(private readonly stage: Scenario) {
    answer = (_, serve) => serve();
    this.folder = stage.module("");
    this.store = join(this.folder, "store");
    mkdirSync(this.store, { mode: 0o700 });
    writeModule(this.folder, providerBlock(stage) + looking(this.store));
  }

  /** Terraform's exit code, and what it printed. */
  async run(command: string, env = {}): Promise<readonly [number | null, string]> {
    const { exitCode, text } = await this.stage.terraform(this.folder, `${command} -no-color`, env);
    return [exitCode, onOneLine(text)];
  }

  async apply(): Promise<string> {
    const [exitCode, text] = await this.run("apply -auto-approve");
    expect([exitCode, text]).toEqual([0, expect.stringContaining("Apply complete!")]);
    return text;
  }

  readonly path = () => join(this.store, "token");
  readonly held = () => readFileSync(this.path(), "utf8");
  readonly holdsLiving = () => this.stage.identity.isValid(this.held());

  fill(isFull: boolean): void {
    if (isFull) writeFileSync(join(this.store, FULL), "");
    else rmSync(join(this.store, FULL));
  }

  /** The next run pushes a living token, and after it nothing is due. */
  async heals(why: string): Promise<void> {
    const [planned, text] = await this.run("plan -detailed-exitcode");
    expect([planned, text]).toEqual([2, expect.stringContaining(why)]);
    await this.apply();
    expect(this.holdsLiving()).toBe(true);
    expect((await this.run("plan -detailed-exitcode"))[0]).toBe(0);
  }
}

const NOT_PUSHED = "The store does not hold the token that the last rotation pushed";
const REFUSED = "The service refuses the token that the store holds";

// docs/rotation.md: Each plan then rotates
scenarios(
  "a rotation that looks at its store",
  (stage) => {
    const revoke = (token: string) => statusOf(stage().identity, "DELETE", token, token);
    const made = async () => {
      const pushed = new Pushed(stage());
      await pushed.apply();
      expect(pushed.holdsLiving()).toBe(true);
      return pushed;
    };

    test("pushes again in the run after a push that failed; no token is in a state, plan or message", async () => {
      const pushed = await made();
      const first = pushed.held();
      stage().clock.now += 21 * HOUR;
      pushed.fill(true);
      const [exitCode, text] = await pushed.run("apply -auto-approve");
      expect([exitCode, text]).toEqual([1, expect.stringContaining("The store is full")]);
      expect(pushed.held()).toBe(first);
      pushed.fill(false);
      stage().clock.now += HOUR;
      await pushed.heals(NOT_PUSHED);
      const place = (token: string) =>
        `token ${stage().identity.issuedTokens().indexOf(token) + 1}`;
      const texts = await stage().trace(pushed.folder, ["plan -out=saved"]);
      expect(stage().leaks(texts)).toEqual([`${place(pushed.held())}: token`]);
    });

    test("replaces a token that was lost or revoked, by the next run", async () => {
      const pushed = await made();
      rmSync(pushed.path());
      await pushed.heals("The store holds no token");
      await revoke(pushed.held());
      await pushed.heals(REFUSED);
    });

    test("is no contradiction for Terraform: refused in the plan, and then not answered, healed by another run, or refused", async () => {
      const pushed = await made();
      const serve: Intercept = (_, next) => next();
      for (const [then, rotates] of [
        [(() => ({ status: 503 })) as Intercept, false],
        [serve, false],
        [() => REFUSAL, true],
      ] as const) {
        const held = pushed.held();
        answer = () => REFUSAL;
        expect((await pushed.run("plan -out=saved"))[1]).toContain(REFUSED);
        answer = then;
        const [exitCode, text] = await pushed.run("apply saved");
        expect([exitCode, text]).toEqual([0, expect.stringContaining("Apply complete!")]);
        expect(pushed.held() !== held).toBe(rotates);
        answer = serve;
        expect((await pushed.run("plan -detailed-exitcode"))[0]).toBe(0);
      }
    });

    test("is no contradiction for Terraform: a question without an answer, and a refusal when it is applied; the next plan rotates", async () => {
      const pushed = await made();
      answer = () => ({ status: 503 });
      const [exitCode, text] = await pushed.run("plan -out=saved -detailed-exitcode");
      expect([exitCode, text]).toEqual([0, expect.stringContaining("Nobody was asked")]);
      answer = () => REFUSAL;
      expect((await pushed.run("apply saved"))[0]).toBe(0);
      expect((await pushed.run("plan -detailed-exitcode"))[0]).toBe(2);
    });

    test("is destroyed, with a store that is empty as well", async () => {
      const pushed = await made();
      expect((await pushed.run("plan -detailed-exitcode"))[0]).toBe(0);
      rmSync(pushed.path());
      expect((await pushed.run("destroy -auto-approve"))[0]).toBe(0);
      expect(existsSync(pushed.path())).toBe(false);
    });
  },
  {
    clock: true,
    consumers: true,
    options: {
      intercept: (request, serve) => (request.method === "HEAD" ? answer(request, serve) : serve()),
    },
  },
);
