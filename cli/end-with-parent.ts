import { shutdownLimit } from '@hearth/runtime/lifecycle'

/** Interval at which the parent process npx is checked, milliseconds. */
const checkInterval = 500

/**
 * Makes this process stop, as if by SIGTERM, when its parent is gone without a signal: `hearth up` that was killed,
 * `hearth.mjs` on an older Node, or `npx`, which passes a SIGTERM to a shell that ends without passing it on.
 */
export function endWithParent(): void {
  if (process.channel != null) {
    process.once('disconnect', stop)
    process.channel.unref()
  } else if (process.env['npm_lifecycle_event'] === 'npx') stopWithoutShell()
}

function stopWithoutShell(): void {
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    stop()
  }, checkInterval)
  watch.unref()
  // Ctrl-C reaches the shell and this process alike; then the shell's end is no second request. We listen only where a
  // command does: a listener of ours alone would keep the signal from ending the others.
  const listened = new Set<string | symbol>()
  process.on('newListener', (name: string | symbol) => {
    if ((name !== 'SIGINT' && name !== 'SIGTERM') || listened.has(name)) return
    listened.add(name)
    process.once(name, () => clearInterval(watch))
  })
}

function stop(): void {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), shutdownLimit).unref()
  process.kill(process.pid, 'SIGTERM')
}
