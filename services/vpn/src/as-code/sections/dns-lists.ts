import type { z } from 'zod'
import { nameKey } from '../../envelope.ts'
import { BlockListCreate } from '../../lists/schema.ts'
import { allListRows } from '../../lists/store.ts'
import { faultsOf } from '../faults.ts'
import type { Section } from '../section.ts'

const ListEntry = BlockListCreate.omit({ name: true }).meta({ id: 'ListOfFile' })
type ListEntry = z.infer<typeof ListEntry>

/** The block lists, by name. Their texts are fetched. */
export const dnsListsSection: Section<ListEntry> = {
  name: 'dns_lists',
  noun: 'list',
  form: 'map',
  schema: ListEntry,
  defaults: { format: 'auto', enabled: true },
  prunes: 'last',
  names: BlockListCreate.shape.name,
  identify: (_, name) => ({ key: nameKey(name), name }),
  identity: ({ url }) => url,
  async read({ parts }) {
    const rows = await allListRows(parts.db)
    return rows.map(({ id, name, name_key: key, url, format, enabled }) => ({
      id,
      key,
      name,
      value: { url, format, enabled: enabled === 1 },
    }))
  },
  async apply({ parts: { lists } }, { create, change }) {
    return [
      ...(await faultsOf(
        change,
        ({ wanted }) => wanted.path,
        ({ held, wanted, members }) =>
          lists.update(held.id, { ...members, ...(held.name === wanted.name ? {} : { name: wanted.name }) }),
      )),
      ...(await faultsOf(
        create,
        ({ path }) => path,
        ({ name, value }) => lists.create({ ...value, name }),
      )),
    ]
  },
  async remove({ parts }, extra) {
    for (const { id } of extra) await parts.lists.remove(id)
  },
}
