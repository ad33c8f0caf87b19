import type { Connection } from './connection.ts'

interface Group {
  team: string | undefined
  connections: Set<Connection>
  /** Those that serve no request, the longest idle first. */
  idle: Set<Connection>
}

/** The open connections by team. Those without a token are one group. */
export interface Occupancy {
  /** Call it for a new connection, and when its team or `serving` has changed. */
  update: (connection: Connection) => void
  remove: (connection: Connection) => void
  /** The longest idle connection of the group with the most connections. Undefined if it has none that is idle. */
  findReplaceable: () => Connection | undefined
}

export function createOccupancy(): Occupancy {
  const groups = new Map<string | undefined, Group>()
  const groupOf = new Map<Connection, Group>()

  const remove = (connection: Connection) => {
    const group = groupOf.get(connection)
    if (!group) return
    groupOf.delete(connection)
    group.connections.delete(connection)
    group.idle.delete(connection)
    if (group.connections.size === 0) groups.delete(group.team)
  }
  const add = (connection: Connection): Group => {
    const { team } = connection
    const group = groups.get(team) ?? { team, connections: new Set(), idle: new Set() }
    groups.set(team, group)
    groupOf.set(connection, group)
    group.connections.add(connection)
    return group
  }

  return {
    update: (connection) => {
      let group = groupOf.get(connection)
      if (!group || group.team !== connection.team) {
        remove(connection)
        group = add(connection)
      }
      if (connection.serving > 0) group.idle.delete(connection)
      else group.idle.add(connection)
    },
    remove,
    findReplaceable: () => {
      let largest: Group | undefined
      for (const group of groups.values()) {
        if (!largest || group.connections.size > largest.connections.size) largest = group
      }
      return largest?.idle.values().next().value
    },
  }
}
