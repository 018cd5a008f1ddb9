import type { PlainRequest } from "../plain-request";
import type { ConformanceCase, ConformanceGroup, Need } from "./case";
import { type ServiceHands, TOKENS } from "./service-hands";

/** What a client makes use of: status, methods that are allowed, and the version. */
interface Page extends PlainRequest {
  readonly name: string;
  readonly needs?: readonly Need[];
  readonly path: string;
  readonly status: number;
  readonly allow?: string;
  /** Members of the body, which is JSON. */
  readonly json?: object;
  /** Other header lines. */
  readonly also?: Readonly<Record<string, unknown>>;
}

const READ = "GET, HEAD, OPTIONS";
const V3 = { id: "v3.14", status: "stable" };
const VERSION = { version: V3 };
const VERSIONS = { versions: { values: [V3] } };

const PAGES: readonly Page[] = [
  {
    name: "the versions",
    path: "/identity",
    status: 300,
    json: VERSIONS,
    also: { location: expect.stringMatching(/\/v3\/$/) },
  },
  {
    name: "the versions, by another name of the host",
    needs: ["deployment"],
    path: "/identity",
    headers: { Host: "localhost" },
    status: 300,
    also: { location: expect.stringMatching(/^https?:\/\/localhost\/identity\/v3\/$/) },
  },
  {
    name: "the versions with a slash",
    path: "/identity/",
    status: 300,
    json: VERSIONS,
  },
  {
    name: "HEAD of the versions",
    method: "HEAD",
    path: "/identity",
    status: 300,
  },
  {
    name: "the version",
    path: "/identity/v3",
    status: 200,
    json: VERSION,
  },
  {
    name: "the version with slashes",
    path: "/identity//v3//",
    status: 200,
    json: VERSION,
  },
  {
    name: "HEAD of the version",
    method: "HEAD",
    path: "/identity/v3",
    status: 200,
  },
  {
    name: "POST to the versions",
    method: "POST",
    path: "/identity",
    status: 405,
    allow: READ,
  },
  {
    name: "DELETE of the version",
    method: "DELETE",
    needs: ["revocation"],
    path: "/identity/v3",
    status: 405,
    allow: READ,
  },
  {
    name: "OPTIONS of the version",
    method: "OPTIONS",
    path: "/identity/v3",
    status: 200,
    allow: READ,
  },
  {
    name: "OPTIONS of the tokens",
    method: "OPTIONS",
    path: TOKENS,
    status: 200,
    allow: "DELETE, GET, HEAD, OPTIONS, POST",
  },
  ...["PUT", "PATCH", "TRACE"].map(
    (method): Page => ({
      name: `${method} of the tokens`,
      method,
      needs: method === "TRACE" ? ["deployment"] : ["revocation"],
      path: TOKENS,
      status: 405,
      allow: "DELETE, GET, HEAD, OPTIONS, POST",
    }),
  ),
  {
    name: "an unknown path",
    path: "/identity/v3/no-such",
    status: 404,
  },
  {
    name: "HEAD of an unknown path",
    method: "HEAD",
    path: "/identity/v3/no-such",
    status: 404,
  },
  {
    name: "OPTIONS of an unknown path",
    method: "OPTIONS",
    path: "/identity/v3/no-such",
    status: 200,
  },
  {
    name: "OPTIONS with a body that is not JSON",
    method: "OPTIONS",
    path: TOKENS,
    headers: { "Content-Type": "application/json" },
    body: "{bad",
    status: 200,
  },
  { name: "the old version", path: "/identity/v2.0", status: 404 },
  {
    name: "the folder of the tokens",
    path: "/identity/v3/auth",
    status: 404,
  },
  {
    name: "a body that is not JSON, to the versions",
    path: "/identity",
    headers: { "Content-Type": "application/json" },
    body: "{bad",
    status: 400,
  },
  {
    name: "the path without its mount",
    needs: ["deployment"],
    method: "POST",
    path: "/v3/auth/tokens",
    status: 404,
  },
  {
    name: "a path that begins as the mount does",
    needs: ["deployment"],
    path: "/identityx",
    status: 404,
  },
  {
    name: "the mount behind two slashes",
    needs: ["deployment"],
    path: "//identity/v3",
    status: 404,
  },
  ...[false, true].map(
    (chunked): Page => ({
      name: `a body that is too large${chunked ? ", in chunks" : ""}`,
      method: "POST",
      needs: ["deployment"],
      path: TOKENS,
      headers: { "Content-Type": "application/json" },
      body: `{"pad": "${"x".repeat(120_000)}"}`,
      chunked,
      status: 413,
    }),
  ),
  ...["a\u0000b", "\ud800"].map(
    (password): Page => ({
      name: `a password that Keystone stumbles over: ${JSON.stringify(password)}`,
      method: "POST",
      needs: ["deployment", "users"],
      path: TOKENS,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        auth: {
          identity: {
            methods: ["password"],
            password: { user: { name: "svc", domain: { name: "123456" }, password } },
          },
        },
      }),
      status: 500,
      also: { connection: "close" },
    }),
  ),
];

function toCase({ name, needs, path, ...page }: Page): ConformanceCase {
  const { status, allow, json, also = {}, ...wanted } = page;
  return {
    name,
    ...(needs === undefined ? {} : { needs }),
    run: async (service: ServiceHands) => {
      const { headers, ...answer } = await service.send(path, wanted);
      expect(answer.status).toBe(status);
      // Keystone's own order changes from start to start.
      expect(headers.allow?.toString().split(", ").sort().join(", ")).toBe(allow);
      if (wanted.method === "HEAD" || wanted.method === "OPTIONS") expect(answer.body).toBe("");
      // Another service may be of another version.
      if (!service.service.exactTexts) return;
      if (json !== undefined) expect(JSON.parse(answer.body)).toMatchObject(json);
      expect(headers).toMatchObject(also);
    },
  };
}

/** Versions, paths, methods and limits. */
export const OTHER_PAGES: ConformanceGroup = {
  name: "around the tokens",
  cases: PAGES.map(toCase),
};
