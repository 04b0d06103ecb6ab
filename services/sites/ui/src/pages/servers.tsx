import { answer, EmptyState, notifyDone, PageHeader, QueryState } from '@hearth/ui'
import { IconPlus, IconServer2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { IconButton } from '../controls/icon-button.tsx'
import { api, keys, type Node } from '../api.ts'
import { NodeCard } from '../servers/node-card.tsx'
import { AddNode } from '../servers/node-dialogs.tsx'

/** The server of the settings, which is always there. */
const firstNode = 1

/** The Caddy servers, all of which serve the same sites; administrators only. */
export function ServersPage() {
  const [isAdding, setAdding] = useState(false)
  const nodes = useQuery({ queryKey: keys.nodes, queryFn: () => answer(api.GET('/api/nodes')) })
  const added = ({ name }: Node) => notifyDone(`${name} answers. It serves the sites once you let it.`)
  return (
    <>
      <PageHeader
        title="Caddy servers"
        description="Every Caddy here serves all sites."
        actions={
          <IconButton variant="filled" icon={IconPlus} onClick={() => setAdding(true)}>
            Add server
          </IconButton>
        }
      />
      <div className="hearth-stack">
        <QueryState query={nodes} lines={5} />
        {nodes.data?.length === 0 && (
          <EmptyState icon={IconServer2} title="No server yet">
            Add the Caddy whose sites are to be managed here.
          </EmptyState>
        )}
        {nodes.data?.map((node) => (
          <NodeCard key={node.id} node={node} isFirst={node.id === firstNode} />
        ))}
      </div>
      {isAdding && <AddNode onClose={() => setAdding(false)} onAdded={added} />}
    </>
  )
}
