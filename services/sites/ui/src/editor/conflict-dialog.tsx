import { Button, Group, Modal, Table, Text } from '@mantine/core'
import { nameOfField, textOfValue } from '../differences/field-names.ts'
import { changesOf, type Draft, wireOf } from './draft.ts'

interface ConflictProps {
  readonly base: Draft
  readonly mine: Draft
  readonly stored: Draft
  readonly onClose: () => void
  /** Saves what I changed over what is stored now. */
  readonly onKeepMine: () => void
  /** Throws my changes away. */
  readonly onTakeTheirs: () => void
}

/** Somebody else saved the site meanwhile: shows what differs, and lets a person decide. */
export function ConflictDialog(props: ConflictProps) {
  const { base, mine, stored, onClose, onKeepMine, onTakeTheirs } = props
  return (
    <Modal opened onClose={onClose} size="xl" title="Somebody else changed this site meanwhile">
      <Text size="sm" mb="sm">
        Keeping yours saves only the members you changed; all others stay as they are stored now.
      </Text>
      <DifferenceTable base={base} mine={mine} stored={stored} />
      <Group justify="flex-end" mt="md" className="hearth-dialog-actions">
        <Button variant="default" onClick={onClose} data-autofocus>
          Look again
        </Button>
        <Button variant="default" onClick={onTakeTheirs}>
          Take theirs
        </Button>
        <Button onClick={onKeepMine}>Keep mine</Button>
      </Group>
    </Modal>
  )
}

function DifferenceTable({ base, mine, stored }: Pick<ConflictProps, 'base' | 'mine' | 'stored'>) {
  const [myChanges, theirChanges] = [changesOf(base, mine), changesOf(base, stored)]
  const names = [...new Set([...Object.keys(theirChanges), ...Object.keys(myChanges)])]
  const [before, theirs, own] = [wireOf(base), wireOf(stored), wireOf(mine)] as Record<string, unknown>[]
  return (
    <Table.ScrollContainer minWidth={480} type="native">
      <Table aria-label="What differs" verticalSpacing={6} className="conflict-table">
        <Table.Thead>
          <Table.Tr>
            {['Member', 'Before', 'Theirs', 'Yours'].map((title) => (
              <Table.Th key={title}>{title}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {names.map((name) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{nameOfField(name)}</Table.Th>
              <Table.Td>{textOfValue(before?.[name])}</Table.Td>
              <Table.Td>{name in theirChanges ? textOfValue(theirs?.[name]) : 'as before'}</Table.Td>
              <Table.Td>{name in myChanges ? textOfValue(own?.[name]) : 'as before'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
