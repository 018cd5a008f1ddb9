import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CtyObject } from "../../../lib/plugin/cty/value";
import { ALLOWED_STATIC_SOURCES } from "../../../lib/provider/credentials/allowed-static-sources";
import { createIamProvider } from "../../../lib/provider/iam-provider";
import { readRegularFile } from "../../../lib/provider/secrets/read-regular-file";
import {
  brief,
  CANARY,
  contextOf,
  FakeIdentity,
  sessionOf,
  surroundingsOf,
  textOf,
} from "../fixtures";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "iam-sources-")));
  mkdirSync(join(folder, "tokens"));
  writeFileSync(join(folder, "tokens", "dns"), CANARY.static);
  writeFileSync(join(folder, "password"), CANARY.password);
  symlinkSync("../password", join(folder, "tokens", "link"));
  symlinkSync("tokens", join(folder, "current"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const NOT_ALLOWED = "ERR_STATIC_SOURCE_NOT_ALLOWED";

/** "given", or the errors, of a token that is opened and read with this list. */
async function outcome(config: CtyObject, list: string | undefined, attached = false) {
  const block = {
    env: null,
    file: null,
    value: null,
    destinations: null,
    base_url: null,
    ...config,
  };
  const provider = createIamProvider({
    processContext: surroundingsOf(
      {
        STATIC_DNS: CANARY.static,
        OS_PASSWORD: CANARY.password,
        ...(list === undefined ? {} : { [ALLOWED_STATIC_SOURCES]: list.replaceAll("~", folder) }),
      },
      { workingFolder: folder, attached },
    ),
    identity: new FakeIdentity(),
  });
  const context = contextOf(sessionOf({}));
  const opened = await provider.ephemeralResources.iam_static_token?.open(block, context);
  const read = await provider.dataSources.iam_static_token?.read(
    { ...block, accept_in_state: true },
    context,
  );
  expect(brief(read?.diagnostics)).toEqual(brief(opened?.diagnostics));
  expect(textOf(opened?.diagnostics)).not.toContain("canary");
  return opened?.result === undefined ? textOf(opened?.diagnostics) : "given";
}

describe("IAM_TOKENS_ALLOWED_STATIC_SOURCES", () => {
  test("allows every place when it is not set", async () => {
    expect(await outcome({ env: "OS_PASSWORD" }, undefined)).toBe("given");
    expect(await outcome({ file: "password" }, undefined)).toBe("given");
  });

  test.each(["", " ", " , "])("allows no place if it is set but empty: %j", async (list) => {
    for (const config of [{ env: "STATIC_DNS" }, { file: "tokens/dns" }])
      expect(await outcome(config, list)).toMatch(/is set but empty: no place is allowed/);
  });

  test.each([
    [{ env: "STATIC_DNS" }, "STATIC_DNS"],
    [{ env: "STATIC_DNS" }, " OTHER , STATIC_* "],
    [{ file: "tokens/dns" }, "~/tokens/dns"],
    [{ file: "./x/../tokens/dns" }, "~/tokens/*"],
    [{ file: "tokens/dns" }, "~/tok*"],
    [{ file: "tokens/dns" }, "/*"],
    // The same folder by its link, on either side.
    [{ file: "current/dns" }, "~/tokens/*"],
    [{ file: "tokens/dns" }, "~/current/*"],
    [{ file: "tokens/link" }, "~/tokens/link"],
    // Terraform's own value: the provider reads nothing.
    [{ value: "abc" }, ""],
  ])("allows %j by %j", async (config, list) => {
    expect(await outcome(config, list)).toBe("given");
  });

  test.each([
    [{ env: "OS_PASSWORD" }, "STATIC_*,~/tokens/*"],
    [{ env: "STATIC_DNS" }, "STATIC"],
    [{ env: "STATIC_DNS" }, "static_dns"],
    [{ env: "STATIC_DNS" }, "/*"],
    [{ file: "password" }, "STATIC_*,~/tokens/*"],
    [{ file: "tokens/dns" }, "~/tokens"],
    [{ file: "tokens/../password" }, "~/tokens/*"],
    // A link in an allowed folder leads elsewhere.
    [{ file: "tokens/link" }, "~/tokens/*"],
    [{ file: "/proc/self/environ" }, "~/tokens/*"],
    [{ file: "not-there" }, "~/tokens/*"],
  ])("refuses %j by %j", async (config, list) => {
    const text = await outcome(config, list);
    expect(text).toContain(NOT_ALLOWED);
    expect(text).toMatch(
      "env" in config ? `The environment variable ${config.env} may not give` : /The file ".*" may/,
    );
    expect(text).toContain(`does not list it (entries: ${list.split(",").length})`);
  });

  test.each(["a b", "./tokens/*", "~/tokens/../*", "STATIC_*,*", "STA*TIC", "~//tokens/*"])(
    "with a mistake allows nothing: %j",
    async (list) => {
      for (const config of [{ env: "STATIC_DNS" }, { file: "tokens/dns" }]) {
        const text = await outcome(config, list);
        expect(text).toContain(NOT_ALLOWED);
        expect(text).toMatch(
          /Entry \d of IAM_TOKENS_ALLOWED_STATIC_SOURCES is neither .*so nothing is allowed\.\nAllowed: names and absolute paths .* at its end\.\nCorrect the list\./s,
        );
      }
    },
  );

  test("says under run that the list is that of run", async () => {
    expect(await outcome({ env: "OS_PASSWORD" }, "STATIC_*", true)).toContain("iam-tokens run");
  });
});

test("a file that is put in the place of an allowed one while it is opened is not read", async () => {
  const path = join(folder, "tokens", "dns");
  let checked = 0;
  const reading = readRegularFile(path, {
    rule: async (real) => {
      if (!real.startsWith(join(folder, "tokens"))) throw new Error(`refused ${real}`);
      checked += 1;
      if (checked > 1) return;
      renameSync(join(folder, "password"), join(folder, "other"));
      rmSync(path);
      symlinkSync("../other", path);
    },
  });
  expect(await reading).toMatchObject({ failure: "unreadable" });
  expect(checked).toBe(1);
});
