import { startEmbeddedTwin } from "./embedded-twin";
import { exchangeScenarios } from "./exchange-scenarios";
import { issuingScenarios, tlsScenarios } from "./issuing-scenarios";

describe("the embedded service", () => {
  describe("issuing", () => issuingScenarios(() => startEmbeddedTwin()));
  describe("https", () => tlsScenarios(() => startEmbeddedTwin({ tls: true })));
  describe("single exchanges", () => exchangeScenarios(() => startEmbeddedTwin()));
});
