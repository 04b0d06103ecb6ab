import { lastContact } from './contact.ts'
import { isListText } from '../nodes/dns/manifest.ts'
import { DnsFolder, dnsFolderName } from './dns/dns-folder.ts'
import { readIdentity } from './identity.ts'
import { readStateFile } from './state-file.ts'

/** Describes this node from its disk, one line each: the service, its last answer, and the interfaces with their peers. */
export async function describeNode(directory: string): Promise<string[]> {
  const { name, url } = await readIdentity(directory)
  const contact = await lastContact(directory)
  const stored = await readStateFile(directory)
  return [
    `node ${name} of ${url}`,
    `last contact: ${contact === undefined ? 'never' : contact.toISOString()}`,
    ...interfaceLines(stored),
    await dnsLine(directory),
  ]
}

/** What the resolver works from; whether it runs only the program that runs it knows. */
async function dnsLine(directory: string): Promise<string> {
  const stored = await new DnsFolder(directory).read()
  if (stored === undefined || stored.files.length === 0) return 'DNS: nothing to answer'
  const lists = stored.files.filter(isListText).length
  return `DNS: answers from the files in ${dnsFolderName}, block lists: ${lists}`
}

function interfaceLines(stored: Awaited<ReturnType<typeof readStateFile>>): string[] {
  if (typeof stored === 'string') return [stored]
  if (stored === undefined) return ['no interfaces yet: the service has not sent any']
  return stored.state.interfaces.map(({ config, peers, running }) => {
    const text = running
      ? `${peers.length} peers, port ${config.listenPort}, ${config.addresses.join(', ')}`
      : 'stopped'
    return `${config.name}: ${text}`
  })
}
