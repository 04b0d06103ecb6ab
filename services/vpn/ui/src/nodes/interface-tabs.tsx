import { useSession } from '@hearth/ui'
import { SectionTabs } from '../sections/section-tabs.tsx'
import { useNodes } from './node-queries.ts'

const tabs = [
  { href: '/interfaces', label: 'Interfaces' },
  { href: '/interfaces/nodes', label: 'Nodes' },
]

/** The way between interfaces and nodes; nothing while nodes are off. */
export function InterfaceTabs() {
  const { isAdmin } = useSession()
  const nodes = useNodes(isAdmin)
  return nodes.data?.enabled === true ? <SectionTabs label="Interfaces" tabs={tabs} /> : null
}
