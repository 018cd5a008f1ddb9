import { scanForLeaks } from "../../../lib/testing";
import type { Scenario } from "../../scenarios/scenario";
import { goClient } from "../../support/go-clients";
import { type LocalService, serveApi } from "./local-services";
import { openRecipe, type Recipe } from "./recipe";
import { type StandIns, serveStandIns } from "./stand-ins";

/** What recipes with providers of others have around them, for the tests of one `scenarios`. */
export interface RecipeStage {
  /** An API that records the calls of the providers. */
  api(): LocalService;
  /** Opens the test's recipe, with what leads to the stand-ins of its providers. */
  open(name: string, env: Readonly<Record<string, string>>): Promise<Recipe>;
  /** Closes a service after the test. */
  closeAfterwards(service: LocalService): void;
}

export function recipeStage(stage: () => Scenario): RecipeStage {
  let standIns: StandIns;
  let api: LocalService;
  let recipe: Recipe | undefined;
  const closing: LocalService[] = [];
  beforeAll(async () => {
    standIns = await serveStandIns(goClient("the sign-in of the OpenStack provider") ?? "");
  });
  afterAll(() => standIns.close());
  beforeEach(async () => {
    api = await serveApi();
    closing.push(api);
  });
  afterEach(async () => {
    recipe?.remove();
    for (const each of closing.splice(0)) await each.close();
  });
  return {
    api: () => api,
    closeAfterwards: (service) => void closing.push(service),
    async open(name, env) {
      recipe = await openRecipe(stage(), name, {
        ...standIns.env,
        ...stage().secrets,
        AUTH_URL: stage().identity.authUrl,
        ...env,
      });
      return recipe;
    },
  };
}

/** Nothing that the project has, or that was printed, holds the password or a token. */
export function expectNoSecret(
  { identity, password, staticToken }: Scenario,
  recipe: Recipe,
): void {
  const tokens = Object.fromEntries(identity.issuedTokens().entries());
  const { findings } = scanForLeaks({
    canaries: { password, staticToken, ...tokens },
    folders: [recipe.folder],
  });
  expect(findings).toEqual([]);
}
