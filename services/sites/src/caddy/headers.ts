import type { HeaderChange } from '../sites/guard-schema.ts'
import { escapePlaceholders } from '../sites/placeholders.ts'

type Operations = Record<string, Record<string, string[]> | string[]>

/** Changes that stand one after the other and can be one handler: the same operation, every name once. */
function runsOf(changes: readonly HeaderChange[]): HeaderChange[][] {
  const runs: HeaderChange[][] = []
  for (const change of changes) {
    const run = runs.at(-1)
    const fits = run?.[0]?.op === change.op && !run.some(({ name }) => name.toLowerCase() === change.name.toLowerCase())
    if (fits) run.push(change)
    else runs.push([change])
  }
  return runs
}

function operations(run: readonly HeaderChange[]): Operations {
  const op = run[0]?.op
  if (op === 'delete') return { delete: run.map(({ name }) => name) }
  const values = Object.fromEntries(run.map(({ name, value }) => [name, [escapePlaceholders(value)]]))
  return { [op === 'add' ? 'add' : 'set']: values }
}

/** Routes that change the headers an upstream gets, in the order given. */
export function requestHeaderRoutes(changes: readonly HeaderChange[]): object[] {
  return runsOf(changes).flatMap((run) => {
    if (run[0]?.op !== 'default') return [{ handle: [{ handler: 'headers', request: operations(run) }] }]
    return run.map((change) => ({
      match: [{ header: { [change.name]: null } }],
      handle: [{ handler: 'headers', request: operations([change]) }],
    }))
  })
}

/**
 * Handlers that change the headers a visitor gets. Caddy does the changes when the answer is written, the last handler first;
 * so they come in reverse.
 */
export function responseHeaderHandlers(changes: readonly HeaderChange[]): object[] {
  return runsOf(changes)
    .flatMap((run) => (run[0]?.op === 'default' ? run.map((change) => [change]) : [run]))
    .map((run) => ({
      handler: 'headers',
      response: {
        ...(run[0]?.op === 'default' && { require: { headers: { [run[0].name]: null } } }),
        ...operations(run),
        deferred: true,
      },
    }))
    .toReversed()
}

/** A handler that sets headers of the answer, whatever was there. */
export function setResponseHeaders(headers: Readonly<Record<string, string>>): object {
  const set = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
  return { handler: 'headers', response: { set, deferred: true } }
}
