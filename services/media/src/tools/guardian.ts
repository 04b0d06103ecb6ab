import { spawn, type ChildProcess } from 'node:child_process'

/**
 * Ends what the service leaves behind when it is killed. Only the direct children of a program learn of its
 * death, so a small separate process holds the other end of a pipe: when the pipe closes, every process group that was
 * entered and not yet left is killed.
 */
export type Guardian = ReturnType<typeof startGuardian>

/** Reads `+ N` and `- N`; the end of its input is the death of the service. It receives nothing but these numbers. */
const program = `
trap '' INT TERM HUP
groups=' '
while read -r way group; do
  case $way in
    +) groups="$groups$group " ;;
    -) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;;
  esac
done
for group in $groups; do kill -KILL "-$group" 2>/dev/null; done
`

/** Starts the guardian; one serves all tools of a process. */
export function startGuardian() {
  const entered = new Set<number>()
  let shell = start()

  function start(): ChildProcess {
    const child = spawn('/bin/sh', ['-c', program], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
    child.on('error', () => undefined)
    child.stdin?.on('error', () => undefined)
    child.unref()
    return child
  }

  function send(way: '+' | '-', group: number): void {
    if (shell.exitCode !== null || shell.signalCode !== null) {
      shell = start()
      for (const known of entered) if (known !== group) shell.stdin?.write(`+ ${known}\n`)
    }
    shell.stdin?.write(`${way} ${group}\n`)
  }

  return {
    /** Enters a process group, by the number of its leader. */
    enter(group: number): void {
      entered.add(group)
      send('+', group)
    },
    leave(group: number): void {
      entered.delete(group)
      send('-', group)
    },
    close(): void {
      shell.stdin?.end()
    },
  }
}
