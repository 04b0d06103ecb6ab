import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lockDataDirectory, OperatorError } from '@hearth/runtime'
import { publicKeyOf } from '../wireguard/keys.ts'
import type { NodeAgentConfig } from './config.ts'
import { contactFileName } from './contact.ts'
import { type NodeDataPlane, openNodeDataPlane } from './data-plane.ts'
import { dnsFolderName } from './dns/dns-folder.ts'
import { identityFileName } from './identity.ts'
import { readStateFile, stateFileName, type StoredState } from './state-file.ts'
import { journalFileName } from './traffic-recorder.ts'

/** Files of a node; the identity goes last, so that a command that was interrupted can be given again. */
const files = [stateFileName, journalFileName, contactFileName, dnsFolderName, identityFileName]

/**
 * Makes this host no node any more: takes its interfaces down, removes its firewall tables, and deletes its state and identity. Calls
 * `say` with each thing that was done. Throws an `OperatorError` while the node runs, and when this host is no node.
 */
export async function leaveService(
  { dataDirectory: directory, backend }: Pick<NodeAgentConfig, 'dataDirectory' | 'backend'>,
  say: (text: string) => void,
): Promise<void> {
  const present = files.filter((name) => existsSync(join(directory, name)))
  if (present.length === 0) throw new OperatorError(`this host is no node: ${directory} holds nothing of one`)
  using _lock = lockDataDirectory(directory)
  const stored = await readStateFile(directory)
  const dataPlane = await openNodeDataPlane({ backend, directory })
  if (typeof stored === 'string') say(`${stored}: interfaces are not known and stay as they are`)
  else if (stored !== undefined) {
    await checkReach(stored, dataPlane, backend)
    await takeInterfacesDown(stored, dataPlane.driver, say)
  }
  await removeTables(dataPlane)
  say('the firewall tables are removed')
  await dataPlane.driver.close()
  for (const name of present) await rm(join(directory, name), { force: true, recursive: true })
  say(`deleted in ${directory}: ${present.join(', ')}`)
}

/** Refuses when this command is simulated and the tunnels are not: it would delete the keys of tunnels that go on. */
async function checkReach(
  { state }: StoredState,
  { choice, driver }: NodeDataPlane,
  backend: NodeAgentConfig['backend'],
): Promise<void> {
  const isCertain = choice.backend !== 'simulated' || backend === 'simulated'
  if (isCertain || !state.interfaces.some(({ running }) => running) || (await driver.list()).length > 0) return
  throw new OperatorError(
    `the tunnels of this node cannot be taken down by this command (${choice.reason}): run it as root`,
  )
}

async function takeInterfacesDown(
  { state, leaving }: StoredState,
  driver: NodeDataPlane['driver'],
  say: (text: string) => void,
): Promise<void> {
  for (const { config } of [...state.interfaces, ...leaving]) {
    const device = await driver.read(config.name)
    if (device === undefined) continue
    if (device.publicKey === publicKeyOf(config.privateKey)) {
      await driver.remove(config.name)
      say(`${config.name} is down`)
    } else say(`${config.name} has another key and is left alone`)
  }
}

async function removeTables({ firewall, limitTable, accessTable }: NodeDataPlane): Promise<void> {
  await firewall.remove()
  await limitTable.remove()
  await accessTable.remove()
}
