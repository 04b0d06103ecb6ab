import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { answer, describeError } from '@hearth/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, keys, type MediaType } from '../api.ts'

const delay = 250

/** File names that a template would give to the newest downloads, while it is being typed. */
export function NamePreview({ type, template }: { type: MediaType; template: string }) {
  const [settled] = useDebouncedValue(template, delay)
  const preview = useQuery({
    queryKey: keys.namePreview(type, settled),
    queryFn: () => answer(api.POST('/api/jobs/name-preview', { body: { type, template: settled } })),
    placeholderData: keepPreviousData,
    retry: false,
  })
  if (preview.error !== null)
    return (
      <Text component="output" size="xs" c="red" className="name-preview">
        {describeError(preview.error)}
      </Text>
    )
  return (
    <ul className="name-preview" aria-label="Preview">
      {(preview.data?.names ?? []).map((name, index) => (
        // Two downloads may get the same name.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={index}>{name}</li>
      ))}
    </ul>
  )
}
