import { whatIsSeen } from "../may-differ";
import type { PlainRequest } from "../plain-request";
import type { ConformanceCase, ConformanceGroup, Need } from "./case";
import { type ServiceHands, TOKENS } from "./service-hands";

/**
 * Visible parts of an answer: status, content type, methods that are allowed, and the beginning of
 * the body.
 */
interface Page extends PlainRequest {
  readonly name: string;
  readonly needs?: readonly Need[];
  readonly path: string;
  readonly status: number;
  readonly type?: string;
  readonly allow?: string;
  readonly begins?: string;
  /** Header lines that must be there as well, or, as undefined, must not. */
  readonly also?: Readonly<Record<string, string | undefined>>;
}

const HTML = "text/html; charset=utf-8";
const NOT_FOUND =
  "<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>";
const NOT_ALLOWED =
  "<!doctype html>\n<html lang=en>\n<title>405 Method Not Allowed</title>\n<h1>Method Not Allowed</h1>";
const VERSION = '{"version": {"id": "v3.14", "status": "stable", ';
const VERSIONS = '{"versions": {"values": [{"id": "v3.14", "status": "stable", ';
/** Not Keystone's own. */
const BARE = { vary: undefined, "x-openstack-request-id": undefined };
const READ = "GET, HEAD, OPTIONS";
const LARGE = {
  method: "POST",
  needs: ["deployment"] as const,
  path: TOKENS,
  status: 413,
  body: `{"pad": "${"x".repeat(120_000)}"}`,
};
const TOO_LARGE = "Request is too large. Larger than max_request_body_size (114688).";

const PAGES: readonly Page[] = [
  {
    name: "the versions",
    path: "/identity",
    status: 300,
    type: "application/json",
    begins: VERSIONS,
    also: { location: "ADDRESS/identity/v3/" },
  },
  {
    name: "the versions with a slash",
    path: "/identity/",
    status: 300,
    type: "application/json",
    begins: VERSIONS,
  },
  {
    name: "HEAD of the versions",
    method: "HEAD",
    path: "/identity",
    status: 300,
    type: "application/json",
    begins: "",
  },
  {
    name: "the version",
    path: "/identity/v3",
    status: 200,
    type: "application/json",
    begins: VERSION,
  },
  {
    name: "the version with slashes",
    path: "/identity//v3//",
    status: 200,
    type: "application/json",
    begins: VERSION,
  },
  {
    name: "HEAD of the version",
    method: "HEAD",
    path: "/identity/v3",
    status: 200,
    type: "application/json",
    begins: "",
  },
  {
    name: "POST to the versions",
    method: "POST",
    path: "/identity",
    status: 405,
    type: HTML,
    allow: READ,
    begins: NOT_ALLOWED,
  },
  {
    name: "DELETE of the version",
    method: "DELETE",
    needs: ["revocation"],
    path: "/identity/v3",
    status: 405,
    type: HTML,
    allow: READ,
    begins: NOT_ALLOWED,
  },
  {
    name: "OPTIONS of the version",
    method: "OPTIONS",
    path: "/identity/v3",
    status: 200,
    type: HTML,
    allow: READ,
    begins: "",
  },
  {
    name: "OPTIONS of the tokens",
    method: "OPTIONS",
    path: TOKENS,
    status: 200,
    type: HTML,
    allow: "DELETE, GET, HEAD, OPTIONS, POST",
    begins: "",
  },
  ...["PUT", "PATCH", "TRACE"].map(
    (method): Page => ({
      name: `${method} of the tokens`,
      method,
      needs: method === "TRACE" ? ["deployment"] : ["revocation"],
      path: TOKENS,
      status: 405,
      type: "application/json",
      allow: "DELETE, GET, HEAD, OPTIONS, POST",
      begins: '{"message": "The method is not allowed for the requested URL."}\n',
    }),
  ),
  {
    name: "an unknown path",
    path: "/identity/v3/no-such",
    status: 404,
    type: HTML,
    begins: NOT_FOUND,
  },
  {
    name: "HEAD of an unknown path",
    method: "HEAD",
    path: "/identity/v3/no-such",
    status: 404,
    type: HTML,
    begins: "",
  },
  {
    name: "OPTIONS of an unknown path",
    method: "OPTIONS",
    path: "/identity/v3/no-such",
    status: 200,
    begins: "",
    also: BARE,
  },
  {
    name: "OPTIONS with a body that is not JSON",
    method: "OPTIONS",
    path: TOKENS,
    headers: { "Content-Type": "application/json" },
    body: "{bad",
    status: 200,
    begins: "",
    also: BARE,
  },
  {
    name: "OPTIONS of a user's password",
    method: "OPTIONS",
    path: "/identity/v3/users/no-such/password",
    status: 200,
    type: HTML,
    allow: "GET, HEAD, OPTIONS, POST",
    begins: "",
  },
  {
    name: "PUT of a user's password",
    method: "PUT",
    needs: ["revocation"],
    path: "/identity/v3/users/no-such/password",
    status: 405,
    type: "application/json",
    allow: "GET, HEAD, OPTIONS, POST",
  },
  { name: "the old version", path: "/identity/v2.0", status: 404, type: HTML, begins: NOT_FOUND },
  {
    name: "the folder of the tokens",
    path: "/identity/v3/auth",
    status: 404,
    type: HTML,
    begins: NOT_FOUND,
  },
  {
    name: "a body that is not JSON, to the versions",
    path: "/identity",
    headers: { "Content-Type": "application/json" },
    body: "{bad",
    status: 400,
    type: "application/json",
  },
  {
    name: "the path without its mount",
    needs: ["deployment"],
    method: "POST",
    path: "/v3/auth/tokens",
    status: 404,
    type: "text/plain",
    begins: "not found\n",
  },
  {
    name: "a path that begins as the mount does",
    needs: ["deployment"],
    path: "/identityx",
    status: 404,
    type: "text/plain",
    begins: "not found\n",
  },
  {
    name: "the mount behind two slashes",
    needs: ["deployment"],
    path: "//identity/v3",
    status: 404,
    type: "text/plain",
    begins: "not found\n",
  },
  {
    ...LARGE,
    name: "a body that is too large",
    type: "text/plain; charset=UTF-8",
    begins: `413 Request Entity Too Large\n\n${TOO_LARGE}`,
    also: { "x-openstack-request-id": undefined },
  },
  {
    ...LARGE,
    name: "a body that is too large, for JSON",
    headers: { Accept: "application/json" },
    type: "application/json",
    begins: `{"message": "${TOO_LARGE}`,
  },
  {
    ...LARGE,
    name: "a body that is too large, for browsers",
    headers: { Accept: "text/html,*/*" },
    type: "text/html; charset=UTF-8",
    begins: "<html>\n <head>\n  <title>413 Request",
  },
  {
    ...LARGE,
    name: "a body in chunks that is too large",
    headers: { "Content-Type": "application/json" },
    chunked: true,
    type: "text/plain; charset=UTF-8",
    begins: "413 Request Entity Too Large\n\nRequest is too large. Larger than 114688.",
    also: { "x-openstack-request-id": "REQUEST" },
  },
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
      type: "text/html",
      begins: "<html>\n  <head>\n    <title>Internal Server Error</title>",
      also: { connection: "close", "x-openstack-request-id": undefined },
    }),
  ),
];

function toCase({ name, needs, path, ...page }: Page): ConformanceCase {
  const { status, type, allow, begins, also = {}, ...wanted } = page;
  return {
    name,
    ...(needs === undefined ? {} : { needs }),
    run: async (service: ServiceHands) => {
      const answer = await service.send(path, wanted);
      const seen = whatIsSeen({ ...answer, headers: answer.headerLines });
      expect(seen.status).toBe(status);
      const header = (wantedName: string) =>
        seen.headers
          .find((line) => line.toLowerCase().startsWith(`${wantedName}: `))
          ?.slice(wantedName.length + 2);
      expect(header("content-type")).toBe(type);
      expect(header("allow")).toBe(allow);
      if (service.service.exactTexts && begins !== undefined) {
        // An empty one is a whole one.
        if (begins === "") expect(seen.body).toBe("");
        else expect(seen.body.slice(0, begins.length)).toBe(begins);
      }
      if (!service.service.exactTexts) return;
      for (const [wantedName, value] of Object.entries(also)) {
        if (wantedName === "connection") expect(answer.headers.connection).toBe(value);
        else expect(header(wantedName)).toBe(value);
      }
    },
  };
}

/** Versions, paths, methods and limits. */
export const OTHER_PAGES: ConformanceGroup = {
  name: "around the tokens",
  cases: PAGES.map(toCase),
};
