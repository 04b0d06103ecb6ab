import { Button, Group } from '@mantine/core'
import type { Column } from '@hearth/ui'

interface ActionColumnProps<Row> {
  /** Name of a row, for those who do not see it beside the buttons. */
  readonly nameOf: (row: Row) => string
  /** What the buttons do, by their words. */
  readonly actions: Readonly<Record<string, (row: Row) => void>>
}

/** The last column of a table, with the buttons of each row. */
export function actionColumn<Row>({ nameOf, actions }: ActionColumnProps<Row>): Column<Row> {
  return {
    key: 'actions',
    header: 'Actions',
    role: 'actions',
    render: (row) => (
      <Group gap="xs" wrap="nowrap" justify="flex-end">
        {Object.entries(actions).map(([word, act]) => (
          <Button key={word} variant="default" size="xs" onClick={() => act(row)} aria-label={`${word} ${nameOf(row)}`}>
            {word}
          </Button>
        ))}
      </Group>
    ),
  }
}
