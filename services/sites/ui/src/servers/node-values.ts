import type { Node, Schemas } from '../api.ts'

/** Values of the form for a server: lists as text; numbers may be empty while somebody types. */
export interface NodeValues extends Record<string, unknown> {
  name: string
  admin_url: string
  http_port: number | ''
  https_port: number | ''
  bind: string
  log_file: string
}

/** The form of a new server. */
export const newNodeValues: NodeValues = {
  name: '',
  admin_url: '',
  http_port: 80,
  https_port: 443,
  bind: '',
  log_file: '',
}

/** The form of a server that exists. */
export function nodeValues(node: Node): NodeValues {
  const { name, admin_url, http_port, https_port, bind, log_file } = node
  return { name, admin_url, http_port, https_port, bind: bind.join(', '), log_file: log_file ?? '' }
}

/** The body that adds a server. Ports that were emptied are those of the web. */
export function toNodeCreate(values: NodeValues): Schemas['NodeCreate'] {
  return {
    name: values.name.trim(),
    admin_url: values.admin_url.trim(),
    http_port: values.http_port === '' ? 80 : values.http_port,
    https_port: values.https_port === '' ? 443 : values.https_port,
    bind: addresses(values.bind),
    log_file: values.log_file.trim() === '' ? null : values.log_file.trim(),
  }
}

/** The body that changes a server: only what differs; undefined when nothing does. */
export function toNodeUpdate(values: NodeValues, node: Node): Schemas['NodeUpdate'] | undefined {
  const { admin_url: _, ...wanted } = toNodeCreate(values)
  const before: Record<string, unknown> = { ...node }
  const changed = Object.entries(wanted).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  )
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}

const addresses = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '')
