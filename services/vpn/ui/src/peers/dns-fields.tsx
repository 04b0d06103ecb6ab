import { Checkbox, Input, NativeSelect, Stack, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { describeError, LoadingLines } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { keys, readBlocklists } from '../api.ts'
import type { PeerValues } from './peer-values.ts'

/** Fields for DNS filtering and query logging of a peer. */
export function DnsFields({ form }: { form: UseFormReturnType<PeerValues> }) {
  const { use_adblocker: isFiltered, blocklist_ids: chosen } = form.getValues()
  return (
    <>
      <Checkbox
        label="Filter names"
        description="When off, this peer gets every answer, whatever lists and rules say"
        {...form.getInputProps('use_adblocker', { type: 'checkbox' })}
      />
      {isFiltered && (
        <NativeSelect
          label="Block lists for this peer"
          data={[
            { value: 'all', label: 'All lists, also those added later' },
            { value: 'some', label: 'Only those chosen here' },
          ]}
          value={chosen === null ? 'all' : 'some'}
          onChange={(event) => form.setFieldValue('blocklist_ids', event.currentTarget.value === 'all' ? null : [])}
        />
      )}
      {isFiltered && chosen !== null && (
        <ListChoice
          chosen={chosen}
          error={form.errors['blocklist_ids']}
          onChange={(ids) => form.setFieldValue('blocklist_ids', ids)}
        />
      )}
      <Checkbox
        label="Log its queries"
        description="When off, its queries appear in no log and no statistics"
        {...form.getInputProps('dns_logging_enabled', { type: 'checkbox' })}
      />
    </>
  )
}

function ListChoice(props: { chosen: string[]; error: React.ReactNode; onChange: (ids: string[]) => void }) {
  const { chosen, error, onChange } = props
  const lists = useQuery({ queryKey: keys.blocklists, queryFn: readBlocklists })
  if (lists.data === undefined)
    return lists.error === null ? <LoadingLines lines={2} /> : <Text c="dimmed">{describeError(lists.error)}</Text>
  if (lists.data.length === 0) return <Text c="dimmed">There is no list yet; your own rules hold all the same.</Text>
  return (
    <Checkbox.Group value={chosen} onChange={onChange} error={error} aria-label="Chosen lists">
      <Stack gap={6}>
        {lists.data.map((list) => (
          <Checkbox key={list.id} value={list.id} label={list.enabled ? list.name : `${list.name} (disabled)`} />
        ))}
      </Stack>
      {chosen.length === 0 && (
        <Input.Description mt={6}>With none, only your own rules hold for this peer.</Input.Description>
      )}
    </Checkbox.Group>
  )
}
