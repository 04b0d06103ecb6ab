import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { OperatorError, systemClock } from '@hearth/runtime'
import type { Command } from 'commander'
import type { Nodes } from '../nodes/nodes.ts'
import { checked, inOneLine } from './checked-input.ts'

interface LifetimeOption {
  readonly hours: string
}

/** `node …`: nodes of the service in the data directory, and this host as a node. */
export function addNodeCommands(program: Command): void {
  const node = program.command('node').description('hosts that run tunnels for this service')
  const lifetime = ['--hours <number>', 'hours that the join token works, at most 168', '24'] as const
  node
    .command('add')
    .description('add a node and print its join token; it is shown this once')
    .argument('<name>', 'what the node is called')
    .option(...lifetime)
    .action(addNode)
  node
    .command('token')
    .description('print a new join token for a node; one that waits works no more')
    .argument('<name>', 'the node')
    .option(...lifetime)
    .action(renewToken)
  node.command('list').description('list the nodes, one per line').action(listNodes)
  node
    .command('remove')
    .description('remove a node; what it sends is refused from now on')
    .argument('<name>', 'the node')
    .action(removeNode)
  node
    .command('join')
    .description('make this host a node of the service at an address')
    .argument('<url>', 'address of the service for nodes, such as https://vpn.example.org:8110')
    .requiredOption('--token-file <file>', 'file with the join token; - reads standard input')
    .option('--replace', 'give up the identity that this host has already')
    .action(joinNode)
  node.command('run').description('run this host as a node in the foreground').action(runNode)
  node.command('status').description('print what this node runs, from its disk').action(printStatus)
  node
    .command('leave')
    .description('take the interfaces of this node down, and delete its state and identity')
    .action(leaveNode)
}

async function joinNode(url: string, options: { tokenFile: string; replace?: boolean }): Promise<void> {
  const { tokenFile: file, replace = false } = options
  const [{ joinService }, { readNodeConfig }, { version }] = await Promise.all([
    import('../node-agent/join.ts'),
    import('../node-agent/config.ts'),
    import('../version.ts'),
  ])
  const { dataDirectory } = readNodeConfig(process.env)
  const reading = file === '-' ? text(process.stdin) : readFile(file, 'utf8')
  const token = await reading.catch((error: Error) => {
    throw new OperatorError(`--token-file: cannot read ${file}: ${error.message}`, { cause: error })
  })
  const { name } = await joinService({ dataDirectory, url, token, version, isReplaced: replace })
  process.stderr.write(`this host is the node ${name}; start it with: hearth vpn node run\n`)
}

async function runNode(): Promise<void> {
  const [{ runNodeAgent }, { readNodeConfig }, { version }] = await Promise.all([
    import('../node-agent/run-node-agent.ts'),
    import('../node-agent/config.ts'),
    import('../version.ts'),
  ])
  await runNodeAgent(readNodeConfig(process.env), version)
}

async function printStatus(): Promise<void> {
  const [{ describeNode }, { readNodeConfig }] = await Promise.all([
    import('../node-agent/describe-node.ts'),
    import('../node-agent/config.ts'),
  ])
  const lines = await describeNode(readNodeConfig(process.env).dataDirectory)
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

async function leaveNode(): Promise<void> {
  const [{ leaveService }, { readNodeConfig }] = await Promise.all([
    import('../node-agent/leave.ts'),
    import('../node-agent/config.ts'),
  ])
  await leaveService(readNodeConfig(process.env), (text) => process.stderr.write(`${text}\n`))
  process.stderr.write('this host is no node any more; remove it in the service, too\n')
}

async function addNode(name: string, options: LifetimeOption): Promise<void> {
  const { NodeCreate } = await import('../nodes/schema.ts')
  const input = checked(NodeCreate, { name, expires_in_hours: Number(options.hours) })
  await withNodes(async ({ nodes, host, record }) => {
    const join = await inOneLine(nodes.create(input, { by: null, host }))
    await record('node_added', name)
    printToken(join)
  })
}

async function renewToken(name: string, options: LifetimeOption): Promise<void> {
  const { NodeJoinTokenCreate } = await import('../nodes/schema.ts')
  const input = checked(NodeJoinTokenCreate, { expires_in_hours: Number(options.hours) })
  await withNodes(async ({ nodes, host, find, record }) => {
    const join = await inOneLine(nodes.renewToken(await find(name), input, { by: null, host }))
    await record('node_token_created', name)
    printToken(join)
  })
}

async function removeNode(name: string): Promise<void> {
  await withNodes(async ({ nodes, find, record }) => {
    await inOneLine(nodes.remove(await find(name)))
    await record('node_removed', name)
  })
}

/** The status in the list is that of the last report: a command does not wait for one. */
async function listNodes(): Promise<void> {
  await withNodes(async ({ nodes }) => {
    const { nodes: rows } = await nodes.list()
    for (const { name, joined_at: joinedAt, last_seen_at: seenAt, address } of rows) {
      const state = joinedAt === null ? 'waits to join' : `last seen ${seenAt} at ${address}`
      process.stdout.write(`${name}\t${state}\n`)
    }
  })
}

function printToken({ token, command }: { token: string; command: string }): void {
  process.stderr.write(`on the host, with the token on its standard input: ${command}\n`)
  process.stdout.write(`${token}\n`)
}

async function withNodes(
  work: (context: {
    nodes: Nodes
    host: string
    find: (name: string) => Promise<string>
    record: (kind: 'node_added' | 'node_token_created' | 'node_removed', target: string) => Promise<void>
  }) => Promise<void>,
): Promise<void> {
  const [nodesModule, { NodeAuthority }, { nameKey }, { recordCommand }, { withStorage }] = await Promise.all([
    import('../nodes/nodes.ts'),
    import('../nodes/authority.ts'),
    import('../envelope.ts'),
    import('@hearth/accounts/security-log'),
    import('./data.ts'),
  ])
  await withStorage(async ({ database, sealer, config }) => {
    const clock = systemClock
    const authority = new NodeAuthority({ db: database.query, sealer, clock })
    const nodes = new nodesModule.Nodes({ database, clock, authority, listeners: config.nodesListen })
    await work({
      nodes,
      host: config.publicEndpoint?.host ?? 'THIS-HOST',
      async find(name) {
        const found = (await nodes.list()).nodes.find((node) => nameKey(node.name) === nameKey(name))
        if (found === undefined) throw new OperatorError(`there is no node ${name}`)
        return found.id
      },
      record: (kind, target) => recordCommand(database.query, { kind, target }, Date.now()),
    })
  })
}
