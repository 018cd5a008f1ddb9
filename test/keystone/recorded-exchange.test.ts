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
  { what: "an empty file", text: () => "", problem: "is not a comment, a request" },
  {
    what: "another name",
    text: () => SOUND.replace("# sound", "# other"),
    problem: "does not begin with the file's name",
  },
  {
    what: "no request",
    text: () => SOUND.replace(/^> .*\n/gm, ""),
    problem: "is not a comment, a request",
  },
  {
    what: "a request line of another kind",
    text: () => SOUND.replace("GET /identity", "GET"),
    problem: "the request line",
  },
  {
    what: "a status line of another kind",
    text: () => SOUND.replace("404 NOT FOUND", "four"),
    problem: "the status line",
  },
  {
    what: "a header without a colon",
    text: () => SOUND.replace("Type: text", "Type text"),
    problem: '"Content-Type text/plain" is not a header',
  },
  {
    what: "a body that is cut off",
    text: () => SOUND.replace("not found", "not fou"),
    problem: "the body has 8 bytes, and Content-Length says 10",
  },
  {
    what: "an answer without its end",
    text: () => SOUND.replace("<\nnot found\n", "not found\n"),
    problem: "is not a comment, a request",
  },
])("$what is refused with the file's name", ({ text, problem }) => {
  expect(() => parseRecorded("sound", text())).toThrow(`recorded/sound.txt: `);
  expect(() => parseRecorded("sound", text())).toThrow(problem);
});
