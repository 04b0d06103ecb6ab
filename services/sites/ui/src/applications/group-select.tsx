import { MultiSelect } from '@mantine/core'
import { useGroups } from '../access/read-access.ts'

interface GroupSelectProps {
  readonly label: string
  readonly description: string
  readonly value?: string[]
  readonly onChange?: (value: string[]) => void
}

/** Some of the groups of users. */
export function GroupSelect(props: GroupSelectProps) {
  const { data: groups = [] } = useGroups()
  return <MultiSelect searchable data={groups.map(({ name }) => name)} {...props} />
}
