import { parseIsoTime } from '@hearth/runtime'
import { PeerCreate } from '../peers/schema.ts'
import type { CsvLine } from './read-csv.ts'

/** What is wrong with one cell. */
export interface CellProblem {
  readonly column: string
  readonly message: string
}

/** A line as a peer to create; without one its problems say why. */
export interface PeerLine {
  readonly line: number
  readonly name: string
  readonly interface: string
  readonly input: PeerCreate | undefined
  readonly problems: readonly CellProblem[]
}

const splitCell = (cell: string): string[] => cell.split(/[;,]/).flatMap((part) => part.trim() || [])
const yes = new Set(['yes', 'true', '1', 'on'])
const no = new Set(['no', 'false', '0', 'off'])

/** Text that is neither goes on to the schema, which refuses it. */
function switchOf(cell: string): boolean | string {
  const word = cell.toLowerCase()
  return yes.has(word) || (no.has(word) ? false : cell)
}

const numberOf = (cell: string): number | string => (/^\d+$/.test(cell) ? Number(cell) : cell)

const decimalOf = (cell: string): number | string => (/^\d{1,5}(\.\d{1,3})?$/.test(cell) ? Number(cell) : cell)

/** A date alone means the beginning of that day in UTC. */
function timeOf(cell: string): string {
  const time = parseIsoTime(cell, { dateOnly: true, withoutOffset: true })
  return time === undefined ? cell : new Date(time).toISOString()
}

const text = (cell: string): string => cell

/** Columns of a file: the member of a new peer that each sets, and how its cells are read. */
const readers = {
  name: ['name', text],
  interface: ['interface', text],
  tags: ['tags', splitCell],
  expires: ['expires_at', timeOf],
  ip: ['ip', text],
  ipv6: ['ipv6', text],
  routing_mode: ['routing_mode', text],
  allowed_ips: ['allowed_ips', splitCell],
  networks: ['networks', splitCell],
  persistent_keepalive: ['persistent_keepalive', numberOf],
  public_key: ['public_key', text],
  enabled: ['enabled', switchOf],
  client_isolation: ['client_isolation', switchOf],
  limit_down: ['limit_down', decimalOf],
  limit_up: ['limit_up', decimalOf],
  use_adblocker: ['use_adblocker', switchOf],
  dns_logging_enabled: ['dns_logging_enabled', switchOf],
  use_preshared_key: ['use_preshared_key', switchOf],
} as const satisfies Record<string, readonly [keyof PeerCreate, (cell: string) => unknown]>

/** Names of all columns. */
export const columns = Object.keys(readers)

const columnOf = new Map<string, string>(Object.entries(readers).map(([column, [member]]) => [member, column]))

/** Finds the column of a member that a problem names, such as `tags.2`; `name` for one that no column sets. */
export const columnOfMember = (path: string): string => columnOf.get(path.split('.')[0] ?? '') ?? 'name'

/** Reads a line as a peer. */
export function readPeerLine({ line, cells }: CsvLine, defaultInterface: string | undefined): PeerLine {
  const members = [...cells].map(([column, cell]) => {
    const [member, read] = readers[column as keyof typeof readers]
    return [member, read(cell)] as const
  })
  const given = { interface: defaultInterface, ...Object.fromEntries(members) }
  const shown = { line, name: cells.get('name') ?? '', interface: cells.get('interface') ?? defaultInterface ?? '' }
  const parsed = PeerCreate.safeParse(given)
  if (parsed.success) return { ...shown, input: parsed.data, problems: [] }
  const problems = parsed.error.issues.map(({ path, message }) => {
    const column = columnOfMember(String(path[0] ?? ''))
    return { column, message: given[String(path[0]) as 'interface'] === undefined ? 'is needed' : message }
  })
  return { ...shown, input: undefined, problems }
}
