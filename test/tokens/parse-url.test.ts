import { parseUrl } from "../../lib/tokens";

test("a text is a URL or it is none", () => {
  expect(parseUrl("https://API.example.com:443/x")?.href).toBe("https://api.example.com/x");
  expect(parseUrl("api.example.com")).toBeUndefined();
});

test("a host with Latin letters is one also after the parser has been asked many times", () => {
  const refused = Array.from({ length: 50_000 }, () => parseUrl("https://bücher.example")).filter(
    (url) => url === undefined,
  );
  expect(refused).toHaveLength(0);
});
