// A reporter of Stryker's that hands on each mutant when it is done with: its own say them all at
// the end, which a run that is interrupted does not reach.

const listeners = [];

export function onTested(listener) {
  listeners.push(listener);
}

class AsFound {
  onMutantTested(mutant) {
    for (const listener of listeners) listener(mutant);
  }
}

export const strykerPlugins = [{ kind: "Reporter", name: "as-found", injectableClass: AsFound }];
