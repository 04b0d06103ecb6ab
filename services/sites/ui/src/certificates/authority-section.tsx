import { Button, Text } from '@mantine/core'
import { answer, notifyProblem, saveFile, Section, StatusBadge, useAction } from '@hearth/ui'
import { IconDownload, IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, keys } from '../api.ts'
import type { components } from '../api.gen.ts'
import './certificates.css'

type Node = components['schemas']['Node']

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
            <Button
              variant="default"
              size="xs"
              leftSection={<IconDownload size={14} aria-hidden />}
              onClick={() => void download(node).catch(notifyProblem)}
            >
              Download
            </Button>
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
  const ask = useAction({
    run: () => answer(api.POST('/api/v1/ssllabs/refresh-status')),
    renew: [key],
  })
  const isKnown = status.data?.is_registered
  return (
    <Section
      title="SSL Labs"
      actions={
        <Button
          variant="default"
          size="xs"
          leftSection={<IconRefresh size={14} aria-hidden />}
          loading={ask.isPending}
          onClick={() => ask.mutate()}
        >
          Check again
        </Button>
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
