import { Alert, Button, Stack, Text, TextInput, type TextInputProps } from '@mantine/core'
import { answer, useSession } from '@hearth/ui'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, keys, type PublicEndpoint } from '../api.ts'
import { candidateWords, endpointProblem, reachOf } from './endpoint-words.ts'

const readEndpoint = async () => (await answer(api.GET('/api/public-endpoint'))).data

/** The host in device configurations and what else this machine is known by; administrators only. */
export function usePublicEndpoint() {
  const { isAdmin } = useSession()
  return useQuery({ queryKey: [...keys.settings, 'public-endpoint'], queryFn: readEndpoint, enabled: isAdmin })
}

interface EndpointFieldProps {
  /** Props of the input, as a form gives them. */
  input: TextInputProps
  value: string
  known: PublicEndpoint
  onChoose: (host: string) => void
}

/** Field for the host that devices connect to, with proposals of this machine and warnings about hosts that cannot work. */
export function EndpointField({ input, value, known, onChoose }: EndpointFieldProps) {
  const host = value.trim() === '' ? known.host : value.trim()
  const all = value.trim() === '' ? [known] : known.candidates
  return (
    <Stack gap="xs">
      <TextInput
        label="Public endpoint"
        description="Host name or address, without port, by which devices reach this host. It goes into every configuration and QR code."
        placeholder={known.source === 'setting' ? 'vpn.example.org' : known.host}
        spellCheck={false}
        maxLength={253}
        {...input}
      />
      <Candidates known={known} value={value} onChoose={onChoose} />
      <ReachAlert host={host} reach={reachOf(host, all)} />
    </Stack>
  )
}

function Candidates({ known, value, onChoose }: Pick<EndpointFieldProps, 'known' | 'value' | 'onChoose'>) {
  const others = known.candidates.filter(({ host }) => host !== value)
  if (others.length === 0) return null
  return (
    <ul className="endpoint-candidates" aria-label="Proposals">
      {others.map((each) => (
        <li key={each.host}>
          <Button variant="default" size="compact-sm" onClick={() => onChoose(each.host)}>
            Use {each.host}
          </Button>{' '}
          <small className="hearth-dimmed">{candidateWords(each)}</small>
        </li>
      ))}
    </ul>
  )
}

/** Warns an administrator when the public endpoint in use keeps devices from connecting. */
export function EndpointWarning() {
  const { data } = usePublicEndpoint()
  if (data === undefined) return null
  return <ReachAlert host={data.host} reach={data.reach} isLinked />
}

function ReachAlert({
  host,
  reach,
  isLinked = false,
}: Pick<PublicEndpoint, 'host' | 'reach'> & { isLinked?: boolean }) {
  const problem = endpointProblem(host, reach)
  if (problem === undefined) return null
  return (
    <Alert
      color={reach === 'loopback' ? 'red' : 'yellow'}
      role="note"
      icon={<IconAlertTriangle aria-hidden />}
      title={problem.title}
    >
      <Text size="sm">{problem.text}</Text>
      {isLinked && (
        <Text size="sm" mt={4}>
          <Link href="/settings" className="hearth-link">
            Set the public endpoint
          </Link>
        </Text>
      )}
    </Alert>
  )
}
