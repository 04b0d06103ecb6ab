import { z } from 'zod'
import { AccessDefault } from '../../access-rules/schema.ts'
import { InterfaceName } from '../../interfaces/schema.ts'
import { faultsOf } from '../faults.ts'
import type { Section } from '../section.ts'

const Defaults = z.record(InterfaceName, AccessDefault.shape.action)
type Defaults = z.infer<typeof Defaults>

/** What interfaces do with what no rule matches; those that are left out keep it. */
export const accessDefaultsSection: Section<Defaults> = {
  name: 'access_defaults',
  noun: 'access without a rule',
  form: 'members',
  schema: Defaults,
  defaults: {},
  otherwise: 'allow',
  needs: ['interfaces'],
  identify: () => ({ key: '', name: 'access_defaults' }),
  references: (value) =>
    Object.keys(value).map((name) => ({ section: 'interfaces', key: name, path: [name], message: 'is no interface' })),
  async read({ parts }) {
    const value = Object.fromEntries((await parts.accessRules.defaults()).map((each) => [each.interface, each.action]))
    return [{ id: '', key: '', name: 'access_defaults', value }]
  },
  apply: ({ parts }, { change }) =>
    faultsOf(
      change.flatMap(({ wanted, members }) =>
        Object.entries(members).map(([name, action]) => ({ name, action, path: [...wanted.path, name] })),
      ),
      ({ path }) => path,
      async ({ name, action }) => {
        if (action !== undefined) await parts.accessRules.setDefault(name, action)
      },
    ),
}
