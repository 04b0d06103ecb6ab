import { Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useStatusPages } from '../uptime/read-uptime.ts'
import { SelectField, useEditing } from './fields.tsx'

/** The public status page that a site shows. */
export function StatusPageField() {
  const { draft } = useEditing()
  const { data: pages } = useStatusPages()
  const chosen = draft.status_page
  const open = pages?.filter(({ is_public: isPublic }) => isPublic) ?? []
  const isListed = chosen === null || open.some(({ slug }) => slug === chosen)
  if (pages !== undefined && open.length === 0 && chosen === null)
    return (
      <Text size="sm">
        There is no status page for everybody yet. Add one on the page{' '}
        <Anchor component={Link} href="/uptime">
          Uptime
        </Anchor>
        .
      </Text>
    )
  return (
    <SelectField
      path="status_page"
      label="Status page"
      description="Shown at the domains of this site"
      isNullable
      options={[
        { value: '', label: 'Choose a status page' },
        ...open.map(({ slug, title }) => ({ value: slug, label: title })),
        ...(isListed ? [] : [{ value: chosen, label: chosen }]),
      ]}
    />
  )
}
