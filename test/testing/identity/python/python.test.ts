import { toErrorJson, toSpacedJson } from "../../../../lib/testing/identity/python/python-json";
import { layOut } from "../../../../lib/testing/identity/python/python-layout";
import { toPython } from "../../../../lib/testing/identity/python/python-text";

// Each expectation was seen in Python 3.11: repr(), pprint.pformat(width=…) and json.dumps().

test.each<[unknown, string]>([
  [null, "None"],
  [true, "True"],
  [1.5, "1.5"],
  [-0, "-0.0"],
  [0.0001, "0.0001"],
  [0.00001, "1e-05"],
  [123456789, "123456789"],
  [1e21, "1e+21"],
  [1.5e300, "1.5e+300"],
  ["it's", `"it's"`],
  [`"`, `'"'`],
  [`'"`, `'\\'"'`],
  ["a\tb\nc\\", "'a\\tb\\nc\\\\'"],
  ["\u00a0\u200b\u{1f511}\u{e0001}ü", "'\\xa0\\u200b\u{1f511}\\U000e0001ü'"],
  [{ b: [1, {}], a: [] }, "{'b': [1, {}], 'a': []}"],
])("%j is %s", (value, text) => {
  expect(toPython(value)).toBe(text);
});

test("what is too long for a line is laid out, sorted, and broken behind words", () => {
  expect(layOut({ b: "x", a: [1] }, 72)).toBe("{'a': [1], 'b': 'x'}");
  expect(layOut({ b: "xxxx", a: [1, 2] }, 12)).toBe("{'a': [1,\n       2],\n 'b': 'xxxx'}");
  expect(layOut(["aaaa", "bbbb"], 12)).toBe("['aaaa',\n 'bbbb']");
  expect(layOut(["one two three"], 12)).toBe("['one two '\n 'three']");
  expect(layOut("one two three", 12)).toBe("('one two '\n 'three')");
  expect(layOut(["one\ntwo three"], 12)).toBe("['one\\n'\n 'two '\n 'three']");
  expect(layOut({ a: "oneverylongword" }, 10)).toBe("{'a': 'oneverylongword'}");
});

test("names are sorted by code points", () => {
  expect(
    toPython({ "\u{1f511}": 1, "\uff21": 2, A: 3, AB: 4 }, (value) => Object.entries(value)),
  ).toContain("\u{1f511}");
  expect(layOut({ "\u{1f511}": 1, "\uff21": 2, AB: 4, A: 3 }, 72)).toBe(
    "{'A': 3, 'AB': 4, '\uff21': 2, '\u{1f511}': 1}",
  );
});

test("JSON is ASCII: with blanks for results, sorted and without for errors", () => {
  const value = { b: "ü\u{1f511}\u007f", a: [1, null] };
  expect(toSpacedJson(value)).toBe('{"b": "\\u00fc\\ud83d\\udd11\\u007f", "a": [1, null]}');
  expect(toErrorJson(value)).toBe('{"a":[1,null],"b":"\\u00fc\\ud83d\\udd11\\u007f"}\n');
});
