import { Text } from '@mantine/core'
import { answer, notifyProblem, saveFile, Section, StatusBadge, useAction } from '@hearth/ui'
import { IconDownload, IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { IconButton } from '../controls/icon-button.tsx'
import { api, keys, type Node } from '../api.ts'
import './certificates.css'

/** The authorities inside the servers, to be trusted by visitors of sites with internal certificates. */
export function AuthoritySection() {
  const nodes = useQuery({ queryKey: keys.nodes, queryFn: () => answer(api.GET('/api/nodes')) })
  return (
    <Section title="Internal authority">
      <Text c="dimmed" size="sm" mb="sm">
        Devices that trust this certificate visit sites with internal certificates without a warning.
      </Text>
      <ul className="plain-list">
        {(nodes.data ?? []).map((node) => (
          <li key={node.id} className="authority-row">
            <span>{node.name}</span>
            <IconButton icon={IconDownload} size="xs" onClick={() => void download(node).catch(notifyProblem)}>
              Download
            </IconButton>
          </li>
        ))}
      </ul>
    </Section>
  )
}

async function download({ id, name }: Node): Promise<void> {
  const { data } = await api.GET('/api/nodes/{id}/authority', { params: { path: { id } }, parseAs: 'text' })
  saveFile(`caddy-${name}-authority.pem`, String(data), 'application/x-pem-file')
}

/** The registration at SSL Labs, with a button that checks it again. */
export function SslLabsState() {
  const key = [...keys.settings, 'ssllabs']
  const status = useQuery({
    queryKey: key,
    queryFn: () => answer(api.GET('/api/v1/ssllabs/registration-status')),
  })
  const refresh = useAction({
    run: () => answer(api.POST('/api/v1/ssllabs/refresh-status')),
    renew: [key],
  })
  const isKnown = status.data?.is_registered
  return (
    <Section
      title="SSL Labs"
      actions={
        <IconButton icon={IconRefresh} size="xs" loading={refresh.isPending} onClick={() => refresh.mutate()}>
          Check again
        </IconButton>
      }
    >
      <StatusBadge tone={isKnown === true ? 'good' : isKnown === false ? 'warn' : 'quiet'}>
        {isKnown === true ? 'Registered' : isKnown === false ? 'Not registered' : 'Not known'}
      </StatusBadge>
      <Text size="sm" mt="xs">
        {status.data?.message ?? ''}
      </Text>
      <Text size="sm" mt="xs">
        <Link href="/settings" className="hearth-link">
          Registration and schedule are in the settings
        </Link>
      </Text>
    </Section>
  )
}
