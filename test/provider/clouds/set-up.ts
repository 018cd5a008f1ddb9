/** Files, variables and the name of a cloud, with the expected result. */
export interface SetUp {
  readonly what: string;
  /**
   * By their paths below the set-up's folder, in which `project` is the current folder and `home`
   * the user's.
   */
  readonly files?: Readonly<Record<string, string>>;
  /** `@` at the beginning of a value, or after a colon, stands for the set-up's folder. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The cloud that the provider block names; by default "prod", and null names none. */
  readonly cloud?: string | null;
  /**
   * Given where we refuse what openstacksdk takes (or takes for something else): the code, and why.
   */
  readonly refused?: readonly [code: string, why: string];
  /** Set where openstacksdk fails, too: always, or in some versions of it. */
  readonly both?: "fail" | "may fail";
}

export const AUTH = `
      auth_url: https://identity.example.test/v3
      username: deployer
      password: canary-password
      user_domain_name: "123456"`;

/** A clouds file with one cloud; `more` is added next to `auth`, `auth` replaces its contents. */
export const clouds = (more = "", auth = AUTH): string => `clouds:
  prod:
    auth:${auth}
${more}`;

/** The same with another user: the user says which file was read. */
export const cloudsOf = (user: string): string => clouds().replace("deployer", user);

export const HOME = "home/.config/openstack";
export const json = (auth: object, more: object = {}): string =>
  JSON.stringify({
    clouds: {
      prod: {
        auth: { auth_url: "https://i.test/v3", username: "u", password: "p", ...auth },
        ...more,
      },
    },
  });

export const UNSUPPORTED = "ERR_CREDENTIALS_UNSUPPORTED";
export const INVALID = "ERR_CLOUDS_FILE_INVALID";
export const MIXED = "ERR_CREDENTIALS_MIXED";
export const NOT_FOUND = "ERR_CLOUD_NOT_FOUND";

export const project = (text: string) => ({ files: { "project/clouds.yaml": text } });
export const withAuth = (more: string) => project(clouds("", `${AUTH}\n      ${more}`));
