import { countAfter, firstCount, isCountLost } from "../../lib/rotation/count";

const newId = () => "new";

test("a count begins with 1 and a new id", () => {
  expect(firstCount(newId)).toEqual({ id: "new", rotation: 1 });
});

test.each([1, 2, 41, Number.MAX_SAFE_INTEGER - 1])(
  "%d is followed by one more, with the same id",
  (rotation) => {
    expect(countAfter({ id: "old", rotation }, newId)).toEqual({
      id: "old",
      rotation: rotation + 1,
    });
    expect(isCountLost({ id: "old", rotation })).toBe(false);
  },
);

test.each([
  { id: "old", rotation: 0 },
  { id: "old", rotation: -3 },
  { id: "old", rotation: 1.5 },
  { id: "old", rotation: null },
  { id: "old", rotation: 2 ** 60 },
  { id: "old", rotation: Number.MAX_SAFE_INTEGER },
  { id: null, rotation: 4 },
  { id: "", rotation: 4 },
  { rotation: 4 },
  {},
])("%p is lost: the count begins again, under another id", (state) => {
  expect(countAfter(state, newId)).toEqual({ id: "new", rotation: 1 });
  expect(isCountLost(state)).toBe(true);
});
