import { shutdownLimit } from '@hearth/runtime/lifecycle'
import { OperatorError } from '@hearth/runtime/operator-error'
import type { ServiceFolder } from './services.ts'
import { superviseService, type State } from './supervise.ts'

/** Settings that only one service may use: two services with the same value would conflict. */
const settingsOfOne = ['BIND_PORT', 'DATA_DIR', 'DATABASE_URL', 'PUBLIC_URL']

/** A signal this soon after another counts as the same one: on Ctrl-C npm repeats the signal of the terminal. */
const sameSignal = 1000

/**
 * `hearth up`: each service a process of its own until told to stop. One that dies is started again, at longer and longer
 * intervals; one that refuses its settings is not. Throws when all did. `program` is the file that runs `<service> serve`.
 */
export async function runUp(services: readonly ServiceFolder[], program: string): Promise<void> {
  if (services.length === 0) throw new OperatorError('there is no service in this folder')
  if (services.length > 1) refuseSharedSettings(services)
  const [stop, kill] = [new AbortController(), new AbortController()]
  endOnSignals(stop, kill)
  const states = new Map<string, State>()
  const width = Math.max(...services.map(({ name }) => name.length))
  const report = (service: ServiceFolder, state: State) => {
    if (states.has(service.name)) return
    states.set(service.name, state)
    if (states.size === services.length && !stop.signal.aborted) process.stdout.write(table(services, states))
  }
  const endings = await Promise.all(
    services.map((service) =>
      superviseService({
        program,
        name: service.name,
        label: services.length > 1 ? `${service.name.padEnd(width)} | ` : '',
        stop: stop.signal,
        kill: kill.signal,
        report: (state) => report(service, state),
      }),
    ),
  )
  if (endings.every((ending) => ending === 'refused')) throw new OperatorError('no service could start')
}

function refuseSharedSettings(services: readonly ServiceFolder[]): void {
  const shared = settingsOfOne.find((name) => (process.env[name] ?? '') !== '' && process.env[name] !== '0')
  if (shared === undefined) return
  const [first] = services
  throw new OperatorError(
    `${shared}: cannot be the same for several services; start them one by one: npx hearth up ${first?.name}`,
  )
}

/** The first signal stops, a later one, or the limit, kills. */
function endOnSignals(stop: AbortController, kill: AbortController): void {
  let first = 0
  const end = () => {
    if (!stop.signal.aborted) {
      first = performance.now()
      stop.abort()
      setTimeout(() => kill.abort(), shutdownLimit).unref()
    } else if (performance.now() - first > sameSignal) kill.abort()
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end)
}

function table(services: readonly ServiceFolder[], states: ReadonlyMap<string, State>): string {
  const width = Math.max(...services.map(({ title }) => title.length))
  const rows = services.map(({ name, title }) => `  ${title.padEnd(width)}  ${formatState(states.get(name))}\n`)
  return `\n${rows.join('')}\nCtrl-C stops ${services.length > 1 ? 'them' : 'it'}.\n`
}

function formatState(state: State | undefined): string {
  if (state?.kind === 'ready') return state.url
  return state?.kind === 'refused' ? 'refused to start; the reason is above' : 'failed; it is tried again'
}
