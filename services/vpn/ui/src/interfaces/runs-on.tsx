import { Alert, NativeSelect } from '@mantine/core'
import { formatCount } from '@hearth/ui'
import type { UseFormReturnType } from '@mantine/form'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { Interface, Node } from '../api.ts'
import { useNodes } from '../nodes/node-queries.ts'
import type { InterfaceValues } from './interface-values.ts'

interface RunsOnProps {
  readonly form: UseFormReturnType<InterfaceValues>
  /** The interface that is edited; none for a new one. */
  readonly present?: Interface
}

/** Fields for the host that runs an interface, and for its standby; nothing while there are no nodes. */
export function RunsOn({ form, present }: RunsOnProps) {
  const nodes = useNodes().data?.nodes ?? []
  if (nodes.length === 0) return null
  const choices = nodes.map(({ id, name, status }) => ({
    value: id,
    label: status === 'connected' ? name : `${name} (${status})`,
  }))
  const { node, standby } = form.getValues()
  const chosen = nodes.find(({ id }) => id === node)
  const second = nodes.find(({ id }) => id === standby)
  // The node that becomes the host of the interface is its standby no longer.
  const onNode = (next: string) => {
    form.setFieldValue('node', next)
    if (next !== '' && next === standby) form.setFieldValue('standby', present?.node?.id ?? '')
  }
  const isMoved = present !== undefined && (present.node?.id ?? '') !== form.getValues().node
  return (
    <>
      <NativeSelect
        label="Runs on"
        description={chosen === undefined ? undefined : endpointText(chosen)}
        data={[{ value: '', label: 'This host' }, ...choices]}
        {...form.getInputProps('node')}
        onChange={(event) => onNode(event.currentTarget.value)}
      />
      {(standby !== '' || choices.some(({ value }) => value !== node)) && (
        <NativeSelect
          label="Standby"
          description={
            second === undefined
              ? 'A node that runs the same interface, for devices that do not reach the other host'
              : `${endpointText(second)}, with their second configuration`
          }
          data={[{ value: '', label: 'None' }, ...choices.filter(({ value }) => value !== node)]}
          {...form.getInputProps('standby')}
        />
      )}
      {isMoved && <MoveWarning present={present} from={nodes.find(({ id }) => id === present.node?.id)} to={chosen} />}
    </>
  )
}

const hostOf = ({ endpoint, address }: Node): string | null => endpoint ?? address

function endpointText(node: Node): string {
  const host = hostOf(node)
  if (host === null) return 'It has not joined, so devices cannot be told where to connect to'
  return `Devices connect to ${host}${node.endpoint === null ? ', its address at present' : ''}`
}

interface MoveWarningProps {
  readonly present: Interface
  /** Undefined for this host. */
  readonly from: Node | undefined
  readonly to: Node | undefined
}

function MoveWarning({ present, from, to }: MoveWarningProps) {
  const { peer_count: count, name } = present
  return (
    <Alert
      color="yellow"
      icon={<IconAlertTriangle aria-hidden />}
      title={`${name} moves to ${to?.name ?? 'this host'}`}
    >
      {count > 0 &&
        `${formatCount(count, 'peer')} ${count === 1 ? 'is' : 'are'} cut off, and connect again only with a new configuration, unless both hosts have the same host name as endpoint. `}
      Its keys stay.
      {from?.status === 'lost' &&
        ` ${from.name} is lost: traffic that it has not reported yet may never be counted, and it runs ${name} until it hears of the move.`}
    </Alert>
  )
}
