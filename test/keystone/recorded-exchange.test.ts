import { parseRecorded, RECORDED_NAMES, readRecorded } from "./recorded-exchange";

const SOUND = [
  "# sound  a comment",
  "> GET /identity HTTP/1.1",
  "> Accept: application/json",
  "",
  "< HTTP/1.1 404 NOT FOUND",
  "< Content-Type: text/plain",
  "< Content-Length: 10",
  "<",
  "not found",
  "",
  "# 1 ms",
  "",
].join("\n");

test("there are 93 recorded exchanges", () => {
  expect(RECORDED_NAMES).toHaveLength(93);
});

test.each(RECORDED_NAMES)("%s can be read, and holds no secret", (name) => {
  const { request, answer } = readRecorded(name);
  expect(answer.status).toBeGreaterThanOrEqual(200);
  const printed = JSON.stringify([request, answer]);
  expect(printed).not.toMatch(/gAAAA/);
  for (const [, password] of request.body.matchAll(/"password": "([^"]*)"/g)) {
    expect(password).toMatch(/^(<password of .+>|wrong|x*|x{10,}|p\ufffd)$/);
  }
});

test("a valid one is parsed", () => {
  expect(parseRecorded("sound", SOUND)).toEqual({
    name: "sound",
    request: {
      method: "GET",
      target: "/identity",
      headers: [["Accept", "application/json"]],
      body: "",
    },
    answer: {
      status: 404,
      reason: "NOT FOUND",
      headers: [
        ["Content-Type", "text/plain"],
        ["Content-Length", "10"],
      ],
      body: "not found\n",
    },
  });
});

test.each([
  ["an empty file", () => "", "is not a comment, a request"],
  [
    "another name",
    () => SOUND.replace("# sound", "# other"),
    "does not begin with the file's name",
  ],
  ["no request", () => SOUND.replace(/^> .*\n/gm, ""), "is not a comment, a request"],
  [
    "a request line of another kind",
    () => SOUND.replace("GET /identity", "GET"),
    "the request line",
  ],
  [
    "a status line of another kind",
    () => SOUND.replace("404 NOT FOUND", "four"),
    "the status line",
  ],
  [
    "a header without a colon",
    () => SOUND.replace("Type: text", "Type text"),
    '"Content-Type text/plain" is not a header',
  ],
  [
    "a body that is cut off",
    () => SOUND.replace("not found", "not fou"),
    "the body has 8 bytes, and Content-Length says 10",
  ],
  [
    "an answer without its end",
    () => SOUND.replace("<\nnot found\n", "not found\n"),
    "is not a comment, a request",
  ],
])("%s is refused with the file's name", (_what, text, problem) => {
  expect(() => parseRecorded("sound", text())).toThrow(`recorded/sound.txt: `);
  expect(() => parseRecorded("sound", text())).toThrow(problem);
});
