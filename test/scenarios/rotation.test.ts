import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HOUR, onOneLine, providerBlock, type Scenario, scenarios, writeModule } from "./world";

interface Attributes extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly rotation: number;
  readonly token: string;
}

/** A module in plain HCL, and its state. */
class Module {
  readonly folder: string;

  constructor(private readonly stage: Scenario) {
    this.folder = stage.module("");
  }

  write(hcl: string): void {
    writeModule(this.folder, providerBlock(this.stage) + hcl);
  }

  /** What is printed. */
  async run(command: string): Promise<string> {
    return onOneLine((await this.stage.succeed(this.folder, `${command} -no-color`)).text);
  }

  apply(more = ""): Promise<string> {
    return this.run(`apply -auto-approve${more}`);
  }

  state(): { readonly resources: readonly StateResource[] } {
    return JSON.parse(readFileSync(join(this.folder, "terraform.tfstate"), "utf8"));
  }

  attributes(type = "iam_token"): Attributes {
    const found = this.state().resources.find((resource) => resource.type === type);
    if (found?.instances[0] === undefined) throw new Error(`The state has no ${type}.`);
    return found.instances[0].attributes;
  }
}

interface StateResource {
  readonly type: string;
  readonly name: string;
  readonly instances: readonly { readonly attributes: Attributes }[];
}

const token = (more = "", name = "ci") =>
  `resource "iam_token" "${name}" {\n  scope = "account"\n  ${more}\n}\n`;
const ofProject =
  (project: string, more = "") =>
  (name: string) =>
    token(`project_name = "${project}"\n  ${more}`, name).replace('"account"', '"project"');
const lifecycle = (rule: string) => `lifecycle {\n    ${rule}\n  }`;
const released = (release: number) => (name: string) =>
  token(`keepers = { release = ${release} }\n  ${lifecycle("ignore_changes = [keepers]")}`, name);
const plain = (name: string) => token("", name);

const moved = (name: string) => `resource "iam_token" "${name}-moved" {
  for_each = toset(["ci"])
  scope    = "account"
}
moved {
  from = iam_token.${name}
  to   = iam_token.${name}-moved["ci"]
}
`;

interface Row {
  readonly becomes: "kept" | "rotated" | "another";
  /** Its block, when it is made. Default: a plain one. */
  readonly first?: (name: string) => string;
  readonly next?: (name: string) => string;
  /** Of Terraform, in between. */
  readonly command?: string;
}

/** Tokens of one module, by their names: the table of docs/rotation.md. */
const CHANGED: Readonly<Record<string, Row>> = {
  unchanged: { becomes: "kept" },
  "other-keepers": { next: (name) => token("keepers = { a = 1 }", name), becomes: "rotated" },
  "ignored-keepers": { first: released(1), next: released(2), becomes: "kept" },
  "ignored-project": {
    first: ofProject("web", lifecycle("ignore_changes = all")),
    next: ofProject("shop", lifecycle("ignore_changes = all")),
    becomes: "kept",
  },
  "other-project": {
    first: ofProject("shop", "keepers = {}"),
    next: ofProject("web"),
    becomes: "rotated",
  },
  replaced: { becomes: "another" },
  tainted: { command: "taint", becomes: "another" },
  removed: { command: "state rm", becomes: "another" },
  "to-move": { next: moved, becomes: "kept" },
};
const underRule = (rule: string): Row => ({
  first: (name) => token(lifecycle(rule), name),
  becomes: "rotated",
});
const DUE: typeof CHANGED = {
  "without-rules": { becomes: "rotated" },
  prevented: underRule("prevent_destroy = true"),
  "created-before": underRule("create_before_destroy = true"),
  ignored: underRule("ignore_changes = all"),
};

// docs/rotation.md: What rotates, and what does not
scenarios(
  "a rotating token",
  (stage) => {
    test.each([
      ["changed by its user", CHANGED, 0],
      ["due", DUE, 12 * HOUR + 60_000],
    ])("is what the page says, when it is %s", async (_when, rows, later) => {
      const module = new Module(stage());
      const write = (step: "first" | "next") => {
        const block = ([name, { first = plain, next = first }]: [string, Row]) =>
          (step === "first" ? first : next)(name);
        module.write(Object.entries(rows).map(block).join(""));
      };
      const all = () =>
        Object.fromEntries(
          module.state().resources.map(({ name, instances: [instance] }) => {
            if (instance === undefined) throw new Error(`The state has no ${name}.`);
            return [name.replace(/-moved$/, ""), instance.attributes];
          }),
        );
      write("first");
      await module.apply();
      expect(stage().requests()).toBe(Object.keys(rows).length);
      const before = all();
      stage().clock.now += later;
      for (const [name, { command }] of Object.entries(rows))
        if (command !== undefined) await module.run(`${command} iam_token.${name}`);
      write("next");
      await module.apply("replaced" in rows ? " -replace=iam_token.replaced" : "");
      const now = all();
      const became = Object.keys(rows).map((name) => {
        const [old, { id, rotation, token }] = [before[name], now[name] as Attributes];
        const isSame = id === old?.id && rotation === 2;
        const isNew = id !== old?.id && rotation === 1;
        return [name, token === old?.token ? "kept" : isSame ? "rotated" : isNew && "another"];
      });
      expect(became).toEqual(Object.entries(rows).map(([name, { becomes }]) => [name, becomes]));
      expect(stage().requests()).toBe(became.filter(([, what]) => what !== "kept").length);
      // Their users can use them until they expire.
      for (const { token } of Object.values(before))
        expect(stage().identity.isValid(token)).toBe(true);
      expect(await module.run("plan")).toContain("No changes.");
    });

    test("is kept although it is due: -refresh-only, -target of another, a wrong password, an address that is not allowed", async () => {
      const module = new Module(stage());
      module.write(`${token()}resource "terraform_data" "other" {}`);
      await module.apply();
      const before = module.attributes();
      stage().clock.now += 12 * HOUR + 60_000;
      const { password } = stage();
      const addresses = { IAM_TOKENS_ALLOWED_AUTH_URLS: "https://other.example.test" };
      for (const [options, exitCode, variables] of [
        [" -refresh-only", 0, {}],
        [" -target=terraform_data.other", 0, {}],
        ["", 1, { SERVICE_USER_PASSWORD: "canary-wrong" }],
        ["", 1, { SERVICE_USER_PASSWORD: password, ...addresses }],
      ] as const) {
        Object.assign(stage().secrets, variables);
        const applied = await stage().terraform(module.folder, `apply -auto-approve${options}`);
        expect([options, applied.exitCode]).toEqual([options, exitCode]);
        expect(module.attributes()).toMatchObject({ token: before.token, rotation: 1 });
      }
      expect(stage().identity.isValid(before.token)).toBe(true);
    });

    test("is planned as an update in place, and planned again at apply: time may pass, even with a saved plan", async () => {
      const { clock } = stage();
      const module = new Module(stage());
      module.write(token());
      await module.apply();
      clock.now += 13 * HOUR;
      stage().requests();
      const planned = await module.run("plan -out=saved");
      expect(planned).toMatch(/~ rotation = 1 -> 2 ~ token = \(sensitive value\).*1 to change/);
      expect(stage().requests()).toBe(0);
      clock.now += 5 * HOUR;
      await module.run("apply saved");
      expect(module.attributes()).toMatchObject({
        rotation: 2,
        issued_at: "2026-03-01T18:00:00Z",
        expires_at: "2026-03-02T18:00:00Z",
      });
      // Applying a plan without a due token does not rotate it, however late.
      await module.run("plan -out=nothing");
      clock.now += 20 * HOUR;
      await module.run("apply nothing");
      expect(module.attributes().rotation).toBe(2);
    });

    test("is rotated as planned by a machine whose clock is five minutes behind, and the next plan is empty", async () => {
      const { clock } = stage();
      const module = new Module(stage());
      module.write(`${token()}resource "iam_rotation" "clock" { rotate_every = "12h" }\n`);
      await module.apply();
      const due = clock.now + 12 * HOUR;
      clock.now = due + 30_000;
      await module.run("plan -out=saved");
      clock.now -= 300_000;
      await module.run("apply saved");
      expect(module.attributes().rotation).toBe(2);
      expect(module.attributes("iam_rotation").rotation).toBe(2);
      expect(await module.run("plan")).toContain("No changes.");
    });

    test("is rotated without a refresh while an after is known to Terraform only at apply", async () => {
      const module = new Module(stage());
      const after = 'after = [length(terraform_data.role.id) > 0 ? "there" : ""]';
      const write = (role: string) =>
        module.write(
          `resource "terraform_data" "role" { triggers_replace = "${role}" }\n${token(after)}`,
        );
      write("first");
      await module.apply();
      stage().clock.now += 13 * HOUR;
      write("second");
      await module.apply(" -refresh=false");
      expect(module.attributes().rotation).toBe(2);
    });

    test("is in the state alone, with what contains it: its backup, and a plan that was saved later", async () => {
      const module = new Module(stage());
      module.write(token());
      await module.apply();
      stage().clock.now += 13 * HOUR;
      const texts = await stage().trace(module.folder, ["plan -out=saved", "apply saved"]);
      expect(stage().leaks(texts)).toEqual([
        "token 1: saved",
        "token 1: terraform.tfstate.backup",
        "token 2: terraform.tfstate",
      ]);
    });
  },
  { clock: true },
);

const USER =
  'resource "terraform_data" "user" {\n  input = sensitive(sha256(iam_token.ci.token))\n}\n';

// docs/rotation.md: revoked after its consumers are destroyed
scenarios(
  "a token with revoke_on_destroy",
  (stage) => {
    const revoked = (more = "") => token(`revoke_on_destroy = true\n  ${more}`) + USER;
    const isValid = (value: string) => stage().identity.isValid(value);

    test("stays in the state until it is revoked, which needs no credentials", async () => {
      const { secrets } = stage();
      const module = new Module(stage());
      module.write(revoked());
      await module.apply();
      const { token: value } = module.attributes();
      delete secrets.SERVICE_USER_PASSWORD;
      secrets.IAM_TOKENS_ALLOWED_AUTH_URLS = "";
      module.write("");
      const destroy = "destroy -auto-approve";
      expect((await stage().terraform(module.folder, destroy)).exitCode).toBe(1);
      expect([module.attributes().token, isValid(value)]).toEqual([value, true]);

      delete secrets.IAM_TOKENS_ALLOWED_AUTH_URLS;
      await module.run(destroy);
      expect([module.state().resources, isValid(value)]).toEqual([[], false]);
    });

    test("outlives a rotation; a replacement with create_before_destroy ends it after its consumers", async () => {
      const module = new Module(stage());
      const values: string[] = [];
      const expectValid = async (valid: readonly boolean[], more = "") => {
        const text = await module.apply(more);
        values.push(module.attributes().token);
        expect(values.map(isValid)).toEqual(valid);
        return text;
      };
      const lasting = lifecycle("create_before_destroy = true");
      module.write(revoked(lasting));
      await expectValid([true]);
      module.write(revoked(`keepers = { release = 2 }\n  ${lasting}`));
      await expectValid([true, true]);
      const text = await expectValid([true, false, true], " -replace=iam_token.ci");
      expect(text).toMatch(/terraform_data\.user: Modifications complete.*\(deposed .*Destroying/);
    });
  },
  { clock: true },
);

/**
 * An ephemeral token that is pushed into a store at each rotation: one that has its life before it,
 * and is not a used one from the cache.
 */
const pushing = (folder: string) => `resource "iam_rotation" "clock" {
  rotate_every = "15h"
}
ephemeral "iam_token" "pushed" {
  scope         = "account"
  min_remaining = "23h"
}
provider "product" { folder = "${folder}" }
resource "product_secret" "token" {
  name             = "token"
  value_wo         = ephemeral.iam_token.pushed.token
  value_wo_version = iam_rotation.clock.version
}
`;

// docs/rotation.md: it rises with each, even after `-replace`
scenarios(
  "a rotation",
  (stage) => {
    test("pushes a fresh token whenever its time has come, and after -replace; no call of its consumer is refused, and no token is elsewhere", async () => {
      const module = new Module(stage());
      const store = join(module.folder, "store");
      const file = join(store, "token");
      module.write(pushing(store));
      const texts: Record<string, string> = {};
      const calls: number[] = [];
      // Nine runs, one every six hours, and a call of the consumer every hour.
      for (let run = 1; run <= 9; run += 1) {
        const traced = await stage().trace(module.folder, ["apply -auto-approve"]);
        texts[`run ${run}`] = Object.values(traced).join("\n");
        for (let hour = 0; hour < 6; hour += 1) {
          const headers = { "X-Auth-Token": readFileSync(file, "utf8") };
          calls.push((await fetch(stage().api.url, { headers })).status);
          stage().clock.now += HOUR;
        }
      }
      expect(calls).toEqual(Array(54).fill(200));
      // Every 15 hours, looked at every 6: each third run.
      expect(module.attributes("iam_rotation").rotation).toBe(3);
      expect(module.attributes("product_secret")).toMatchObject({ pushes: 3, value_wo: null });
      const last = stage().identity.issuedTokens().indexOf(readFileSync(file, "utf8")) + 1;
      expect(stage().leaks(texts)).toEqual([`token ${last}: token`]);

      await module.apply(" -replace=iam_rotation.clock");
      expect(module.attributes("iam_rotation").rotation).toBe(1);
      expect(module.attributes("product_secret").pushes).toBe(4);
    });
  },
  { clock: true },
);
