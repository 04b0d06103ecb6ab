import { flushCompileCache } from 'node:module'
import { createResolver } from './create-resolver.ts'
import type { Resolver } from './running-resolver.ts'
import type { FromResolver, ResolverCall, ToResolver } from './messages.ts'

/*
 * The resolver process. Started by `supervisor.ts`: `node resolver.ts DIRECTORY [--cautious] [--lists-first]
 * [--journal]`, with a channel to the service. It ends when that channel does.
 */
process.title = 'hearth-vpn resolver'
const [directory = '.', ...options] = process.argv.slice(2)
const isListsFirst = options.includes('--lists-first')
/** Calls after which the state is another. */
const changes: ReadonlySet<ResolverCall['method']> = new Set(['changed', 'changedLists', 'changedTogether'] as const)
/** The service considers a resolver without a heartbeat for some seconds hung. */
const stateMs = 500
const warn = (message: string): void => void process.stderr.write(`${message}\n`)
const send = (message: FromResolver): void => {
  if (process.connected) process.send?.(message)
}

let isEnding = false
async function end(): Promise<void> {
  if (isEnding) return
  isEnding = true
  setTimeout(() => process.exit(1), 5000).unref()
  await resolver?.close()
  process.exit(0)
}

let resolver: Resolver | undefined
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end())
process.on('disconnect', () => void end())
process.on('message', (message: ToResolver) => void onMessage(message))

let logged = 0
/** Opening of the resolver; requests of the service wait for it. */
const opening = createResolver({
  directory,
  isCautious: options.includes('--cautious'),
  isListsFirst,
  isJournal: options.includes('--journal'),
  warn,
  logged: (count) => (logged += count),
  noticed: (report) => send({ type: 'noticed', report }),
})
// Lists that come first may take longer than the start of a resolver is allowed to.
const opens = isListsFirst ? setInterval(() => send({ type: 'opening' }), stateMs) : undefined
const running = await opening
clearInterval(opens)
resolver = running
const sendState = (): void => send({ type: 'state', state: running.state() })
sendState()
// It answers already; it is ready once it also blocks by the lists.
void running.listsTried().then(() => send({ type: 'ready' }))
setInterval(() => {
  sendState()
  if (logged > 0) send({ type: 'queries', count: logged })
  logged = 0
}, stateMs)
// The compile cache is written at once, because a killed process cannot do it. It makes the next start three times as fast.
flushCompileCache()

async function onMessage(message: ToResolver): Promise<void> {
  if (message.type === 'stop') return end()
  const { id, method, args } = message
  try {
    const running = await opening
    const call = running[method] as (...values: readonly unknown[]) => unknown
    send({ type: 'done', id, result: await call.apply(running, [...args]) })
    if (!changes.has(method)) return
    sendState()
    // The supervisor starts another one at once.
    if (running.isOutdated) await end()
  } catch (error) {
    send({ type: 'failed', id, message: (error as Error).message })
  }
}
