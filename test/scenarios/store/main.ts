import { serveLaunched } from "../../../lib/plugin/serve/serve-launched";
import { storeProvider } from "./store-provider";

serveLaunched({ provider: storeProvider, name: "store", version: "0.0.1", env: process.env });
