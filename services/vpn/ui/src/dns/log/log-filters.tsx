import { Button, NativeSelect, TextInput } from '@mantine/core'
import { TableSearch, type TableState } from '@hearth/ui'
import { IconX } from '@tabler/icons-react'
import { PeerFilter } from '../../peers/peer-picker.tsx'
import { isNarrowed, logResults, logTimes, queryTypes } from './log-query.ts'

/** Filters of the log; all of them stand in the URL. */
export function LogFilters({ state }: { state: TableState }) {
  const { client = '', result = '', type = '', time = '', from = '', to = '' } = state.filters
  const set = (name: string) => (event: { currentTarget: { value: string } }) =>
    state.change({ filter: { [name]: event.currentTarget.value } })
  const clear = () =>
    state.change({ search: '', filter: { client: '', result: '', type: '', time: '', from: '', to: '' } })
  return (
    <search className="hearth-toolbar log-filters">
      <TableSearch state={state} label="Part of a domain" />
      <PeerFilter
        value={client}
        placeholder="Any peer"
        onChange={(name) => state.change({ filter: { client: name } })}
      />
      <NativeSelect aria-label="Result" value={result} onChange={set('result')} data={[...logResults]} />
      <NativeSelect
        aria-label="Type"
        value={type}
        onChange={set('type')}
        data={[{ value: '', label: 'Any type' }, ...queryTypes]}
      />
      <NativeSelect aria-label="Time" value={time} onChange={set('time')} data={[...logTimes]} />
      {time === 'own' && (
        <>
          <TextInput type="datetime-local" aria-label="From" value={from} onChange={set('from')} />
          <TextInput type="datetime-local" aria-label="Until" value={to} onChange={set('to')} />
        </>
      )}
      {isNarrowed(state) && (
        <Button variant="subtle" leftSection={<IconX size={14} aria-hidden />} onClick={clear}>
          Show all
        </Button>
      )}
    </search>
  )
}
