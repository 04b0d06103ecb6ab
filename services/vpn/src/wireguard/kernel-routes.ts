import { z } from 'zod'
import type { RunCommand } from './command.ts'
import { checkedInterfaceName, DeviceError, type RouteChange } from './device.ts'
import { networkOf } from './network-address.ts'

/** Marks the routes of this service among those of a device, for `ip route`; those that others set are left alone. */
const protocol = '104'

/** Higher than what systems give their own routes: a network that this host has itself is still reached there. */
const metric = '20000'

const Routes = z.array(z.object({ dst: z.string() }))

/** Reads the routes of this service through a link. */
export async function readRoutes(run: RunCommand, name: string): Promise<string[]> {
  const read = async (family: '-4' | '-6') => {
    const filter = ['dev', checkedInterfaceName(name), 'proto', protocol]
    const text = await run('ip', ['-json', family, 'route', 'show', ...filter])
    const parsed = Routes.safeParse(text.trim() === '' ? [] : JSON.parse(text))
    if (!parsed.success) throw new DeviceError('ip route show: the answer has an unknown form')
    return parsed.data.map(({ dst }) => networkOf(dst))
  }
  // A kernel without IPv6 does not know the question.
  return [...(await read('-4')), ...(await read('-6').catch(() => []))]
}

/** Makes the routes of this service through a link exactly these. */
export async function setRoutes(run: RunCommand, name: string, wanted: readonly string[]): Promise<void> {
  const held = await readRoutes(run, name)
  await write(run, name, {
    add: wanted.filter((network) => !held.includes(network)),
    remove: held.filter((network) => !wanted.includes(network)),
  })
}

/** Adds and removes some routes through a link; those that are as wanted already stay as they are. */
export async function changeRoutes(run: RunCommand, name: string, { add, remove }: RouteChange): Promise<void> {
  const held = await readRoutes(run, name)
  await write(run, name, {
    add: add.filter((network) => !held.includes(network)),
    remove: remove.filter((network) => held.includes(network)),
  })
}

/** Networks are checked before they get here; `networkOf` checks again, because they go into a command's text. */
async function write(run: RunCommand, name: string, { add, remove }: RouteChange): Promise<void> {
  const line = (verb: string, network: string) =>
    `route ${verb} ${networkOf(network)} dev ${checkedInterfaceName(name)} proto ${protocol} metric ${metric}\n`
  const text = [...remove.map((network) => line('del', network)), ...add.map((network) => line('add', network))].join(
    '',
  )
  if (text !== '') await run('ip', ['-batch', '/dev/stdin'], { secretInput: text })
}
