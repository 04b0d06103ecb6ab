import { Autocomplete, type AutocompleteProps } from '@mantine/core'
import { useDebouncedCallback, useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keys } from '../api.ts'
import { readPeers } from './peer-actions.ts'

const offered = 8

/** A field for a peer's name; what is typed is looked up among all peers, however many there are. */
export function PeerPicker({
  value,
  onChange,
  ...field
}: Omit<AutocompleteProps, 'data' | 'value'> & { value: string }) {
  const [search] = useDebouncedValue(value.trim(), 250)
  const query = { limit: offered, sort: 'name', ...(search === '' ? {} : { search }) } as const
  const peers = useQuery({
    queryKey: [...keys.peers, query],
    queryFn: () => readPeers(query),
    placeholderData: keepPreviousData,
  })
  return (
    <Autocomplete
      {...field}
      value={value}
      {...(onChange === undefined ? {} : { onChange })}
      data={peers.data?.peers.map(({ name }) => name) ?? []}
      filter={({ options }) => options}
      limit={offered}
      maxLength={64}
      autoComplete="off"
    />
  )
}

interface PeerFilterProps {
  /** The name that is filtered by; empty for all peers. */
  value: string
  placeholder: string
  onChange: (name: string) => void
}

/** Filter of a page by a peer; it is applied half a second after the last key, and follows the address. */
export function PeerFilter({ value, placeholder, onChange }: PeerFilterProps) {
  const [text, setText] = useState(value)
  const [shown, setShown] = useState(value)
  const apply = useDebouncedCallback(onChange, 500)
  if (value !== shown) {
    setShown(value)
    if (value !== text.trim()) setText(value)
  }
  return (
    <PeerPicker
      aria-label="Peer"
      placeholder={placeholder}
      value={text}
      onChange={(typed) => {
        setText(typed)
        apply(typed.trim())
      }}
    />
  )
}
