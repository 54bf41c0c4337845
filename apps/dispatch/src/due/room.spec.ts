import { Room } from './room';

describe('Room', () => {
  const roomByRank = (room: Room) => [0, 1, 2].map((rank) => room.for(rank as 0 | 1 | 2));

  it('has extra places for high priority only', () => {
    expect(roomByRank(new Room(3, 2))).toEqual([5, 3, 3]);
    expect(roomByRank(new Room(3))).toEqual([3, 3, 3]);
  });

  it('has no places for other priorities while high priority fills its own', () => {
    expect(roomByRank(new Room(0, 2))).toEqual([2, 0, 0]);
    expect(roomByRank(new Room(-1, 2))).toEqual([1, 0, 0]);
    expect(roomByRank(new Room(-3, 2))).toEqual([0, 0, 0]);
  });
});
