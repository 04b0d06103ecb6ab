import { newestCapabilities, oldestCapabilities } from '../src/caddy/capabilities.ts'
import type { CompiledSite, NodeProfile } from '../src/caddy/desired-state.ts'
import { SiteCreate, type SiteRecord } from '../src/sites/schema.ts'
import type { z } from 'zod'

/** A site as the server compiles it, from what a person would post. */
export function makeSite(
  id: number,
  input: z.input<typeof SiteCreate>,
  secrets: Omit<CompiledSite, 'id' | 'record'> = {},
): CompiledSite {
  return { id, record: makeRecord({ site_name: `Site ${id}`, ...input }), ...secrets }
}

/** A stored record, from what a person would post. */
export function makeRecord(input: z.input<typeof SiteCreate>): SiteRecord {
  const { basic_auth: users, ...rest } = SiteCreate.parse(input)
  return { ...rest, basic_auth: users.map(({ username }) => ({ username })) }
}

/** A node as tests of texts need it. */
export function makeNode(age: 'oldest' | 'newest', members: Partial<NodeProfile> = {}): NodeProfile {
  return {
    admin: { listen: 'unix//run/caddy/admin.sock' },
    httpPort: 80,
    httpsPort: 443,
    capabilities: age === 'oldest' ? oldestCapabilities : newestCapabilities,
    ...members,
  }
}
