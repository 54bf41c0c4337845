import { Module } from '@nestjs/common';
import { storeProvider } from '@lettermill/storage';
import { MessagesController } from './search/messages.controller';
import { ViewProgress } from './search/view.progress';
import { MESSAGES_STORE, type MessagesStore } from './timeline/messages.store';
import { LibsqlMessagesStore } from './timeline/messages.store.libsql';
import { MongooseMessagesStore } from './timeline/messages.store.mongoose';
import { TimelineConsumer } from './timeline/timeline.consumer';
import { TimelineWriter } from './timeline/timeline.writer';

/** State and timeline of every message, and the search over them. Needs the platform module. */
@Module({
  controllers: [TimelineConsumer, MessagesController],
  providers: [
    TimelineWriter,
    ViewProgress,
    storeProvider<MessagesStore>(MESSAGES_STORE, { libsql: LibsqlMessagesStore, mongoose: MongooseMessagesStore }),
  ],
})
export class TrackerModule {}
