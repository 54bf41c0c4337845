// Prints what the tracker and dispatch have stored of messages that are not sent: a message without a delivery never reached dispatch, one
// that is `sending` is claimed, and one that is `sent` there is not yet known to be so.
import mongoose from 'mongoose';

const TOLD = 5;
const { connection } = await mongoose.connect(process.env.MONGODB_URI);
const messages = connection.collection('tracker_message').find({ state: { $ne: 'sent' } });
console.log(new Date().toISOString());
for (const { _id, state, facts } of await messages.limit(TOLD).toArray()) {
  const delivery = await connection.collection('dispatch_deliveries').findOne({ _id }, { projection: { content: 0 } });
  console.log(`${_id}: ${state}, ${facts}\n  ${JSON.stringify(delivery)}`);
}
await connection.close();
