/** What we need of Grafana's dashboard model (schema version 39). */

export interface Panel {
  title: string
  /** What it shows, and when to worry. */
  description?: string
  /** `stat` shows the last value, `timeseries` a graph. */
  type?: 'stat' | 'timeseries'
  /** As Grafana names it: `s`, `percentunit`, `reqps`, `bytes`, `short`. */
  unit: string
  queries: Query[]
}

export interface Query {
  expr: string
  legend: string
}

export interface Dashboard {
  uid: string
  title: string
  rows: Record<string, Panel[]>
}

const FIRST_LETTER = 65
const COLUMNS = 24
const PANEL = { w: 8, h: 8 }
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' }

/** As Grafana imports it. The position of each panel follows from its order. */
export function toGrafana({ uid, title, rows }: Dashboard): object {
  let id = 0
  let y = 0
  const panels = Object.entries(rows).flatMap(([row, members]) => {
    const header = {
      id: ++id,
      type: 'row',
      title: row,
      collapsed: false,
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
      panels: [],
    }
    y += 1
    const perLine = COLUMNS / PANEL.w
    const placed = members.map((panel, index) => ({
      id: ++id,
      ...toPanel(panel),
      gridPos: { x: (index % perLine) * PANEL.w, y: y + Math.floor(index / perLine) * PANEL.h, ...PANEL },
    }))
    y += Math.ceil(members.length / perLine) * PANEL.h
    return [header, ...placed]
  })
  return {
    uid,
    title,
    tags: ['agent-console'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'utc',
    templating: {
      list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }],
    },
    panels,
  }
}

function toPanel({ title, description = '', type = 'timeseries', unit, queries }: Panel): object {
  return {
    ...{ title, description, type, datasource: DATASOURCE },
    // An error budget can be below 0.
    fieldConfig: { defaults: { unit, ...(type === 'stat' ? {} : { min: 0 }) }, overrides: [] },
    options:
      type === 'stat'
        ? { reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false } }
        : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCodePoint(FIRST_LETTER + index),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
    })),
  }
}
