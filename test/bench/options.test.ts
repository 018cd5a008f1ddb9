import { parseOptions, SECTIONS } from "./options";

const all = Object.keys(SECTIONS);

test("without options everything is measured, and nothing written", () => {
  expect(parseOptions([])).toEqual({
    rounds: 15,
    sections: all,
    nodes: [],
    json: undefined,
    write: false,
  });
});

test("--only, --quick and --rounds measure less", () => {
  expect(parseOptions(["--only", "plans", "--only", "start"])).toMatchObject({
    sections: ["start", "plans"],
  });
  expect(parseOptions(["--quick"])).toMatchObject({
    rounds: 3,
    sections: ["start", "plans", "aliases", "first"],
  });
  expect(parseOptions(["--rounds", "2"])).toMatchObject({ rounds: 2, sections: all });
});

test("--help measures nothing", () => {
  expect(parseOptions(["--help"])).toBeUndefined();
});

test.each([
  [["--rounds", "0"], /--rounds is 0/],
  [["--only", "speed"], /--only is speed: give one of start, plans/],
  [["--write", "--quick"], /--write needs everything/],
  [["--fast"], /Unknown option '--fast'/],
])("%j is refused", (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});
